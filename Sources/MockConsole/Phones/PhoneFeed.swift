import APNSVocabulary
import MockAPNs
internal import NIOConcurrencyHelpers
internal import NIOCore
import PushPlatform
import VirtualPhones

/// The phones of a mock, and the task that gives them the requests that arrive.
///
/// It runs beside the mock without slowing it: it reads requests from the log, a bounded number at a time, and pauses after
/// each full batch. While requests arrive at a high rate, as from a benchmark, it looks only at a sample. Requests that wait for
/// too long are skipped and counted.
final class PhoneFeed: ArrivalObserver {
    private struct State {
        var phones: Phones
        var processedThrough = 0
        /// Requests until this number belong to the time before a reset.
        var ignoredThrough = 0
        /// How many requests were removed from the log, or belong to the time before a reset.
        var uncounted = 0
        var changes = PhoneChanges()
        var waits = MockWaits<Void>()
        var isOver = false
        /// How many readers wait until all requests are processed.
        var readers = 0
        /// The profiles of a file. New namespaces begin with them.
        var profiles: [PhoneProfile] = []
        var files = PhoneFiles(folder: nil)
        /// What is wrong in the profile now, if the last good one acts.
        var profileError: String?
        /// Requests arrive at a high rate.
        var isRush = false
    }

    private static let batch = 128
    /// The maximum number of requests that wait to be processed. Beyond it, the oldest are skipped.
    private static let maximumWaiting = 20_000
    /// How long a pause after a full batch is, as a multiple of the time that the batch took.
    private static let pause = 3
    /// The number of requests per second above which the rate is high. Everything that the phones do then delays the client, if
    /// both run on the same machine.
    private static let rush = 20_000
    private static let pauseInRush = Duration.milliseconds(200)
    /// How often the phones check the clock while nothing arrives.
    private static let clockInterval = Duration.milliseconds(500)
    /// The maximum time that a reader waits for the phones.
    private static let longestCatchUp = Duration.seconds(2)
    /// The same while the rate is high: the phones catch up only after that.
    private static let longestCatchUpInRush = Duration.milliseconds(600)

    private let mock: MockServer
    private let state: NIOLockedValueBox<State>
    private let task = NIOLockedValueBox<Task<Void, Never>?>(nil)

    init(_ mock: MockServer, opener: PhoneEnvelopeOpener?) {
        self.mock = mock
        state = NIOLockedValueBox(
            State(phones: Phones(opener: opener, recordCount: mock.logCapacity)))
        mock.observer = self
        let feeding = Task { await self.feed() }
        task.withLockedValue { $0 = feeding }
    }

    func end() {
        task.withLockedValue { task in
            task?.cancel()
            task = nil
        }
        if mock.observer === self { mock.observer = nil }
        finish()
    }

    // MARK: Feeding

    private func feed() async {
        defer { finish() }
        while !Task.isCancelled {
            let next = state.withLockedValue { $0.processedThrough } + 1
            guard let arrivals = await mock.arrivals(from: next, atMost: Self.batch, within: Self.clockInterval) else {
                return
            }
            let start = ContinuousClock.now
            checkDevices()
            if arrivals.isEmpty {
                checkClock()
            } else {
                process(arrivals, from: next)
            }
            guard arrivals.count == Self.batch else {
                state.withLockedValue { $0.isRush = false }
                continue
            }
            guard !isHurried else {
                // While requests arrive, nothing else in this loop suspends, and the readers need a thread, too.
                await Task.yield()
                continue
            }
            await pause(after: ContinuousClock.now - start)
        }
    }

    /// Leaves the machine to the mock and its client for a moment.
    private func pause(after work: Duration) async {
        let start = ContinuousClock.now
        let count = mock.arrivalCount
        // Shorter than a millisecond, the count would say little about the rate.
        try? await Task.sleep(for: max(work * Self.pause, .milliseconds(1)))
        let came = Double(mock.arrivalCount - count)
        let isRush = came > Double(Self.rush) * ((ContinuousClock.now - start) / .seconds(1))
        state.withLockedValue { $0.isRush = isRush }
        if isRush { try? await Task.sleep(for: Self.pauseInRush) }
    }

    private var isHurried: Bool { state.withLockedValue { $0.readers > 0 && !$0.isRush } }

    private func process(_ arrivals: [MockArrival], from next: Int) {
        let dropped = mock.droppedThrough
        let waiting = mock.arrivalCount - next + 1
        let now = mock.now
        change { state in
            if let first = arrivals.first, first.number > next {
                let from = max(next, state.ignoredThrough + 1)
                let through = min(dropped, first.number - 1)
                if from <= through { state.phones.miss(from...through, at: now) }
            }
            if waiting > Self.maximumWaiting {
                // The requests after them are enough work for a while.
                state.processedThrough = next + waiting - Self.maximumWaiting / 2 - 1
                let from = max(next, state.ignoredThrough + 1, (arrivals.first?.number ?? 0))
                if from <= state.processedThrough { state.phones.miss(from...state.processedThrough, at: now) }
                return
            }
            for arrival in arrivals where arrival.number > state.ignoredThrough {
                if let push = PhonePush(arrival) { state.phones.receive(current(push, arrival)) }
            }
            state.processedThrough = arrivals.last?.number ?? state.processedThrough
        }
    }

    /// The push, with what the mock knows of its device now: it can be online since the push was judged. A channel that stores
    /// nothing takes a broadcast without an expiration, too. What was sent to a channel that is deleted by now may still arrive.
    private func current(_ push: PhonePush, _ arrival: MockArrival) -> PhonePush {
        var push = push
        switch push.target {
        case .device(let token):
            if push.delivery == .stored, isOnline(token) { push.delivery = .delivered }
        case .channel(let id):
            let channel = mock.channel(id, of: push.topic, in: arrival.sender.environment)
            if push.expiration == .unspecified, channel?.storesNewest == false { push.expiration = .never }
        }
        return push
    }

    /// Delivers what is stored for devices of the mock that are online again, or no longer registered.
    func checkDevices() {
        let online = state.withLockedValue { $0.phones.offlineDevices }.filter(isOnline)
        guard !online.isEmpty else { return }
        change { phones, now in
            for token in online { phones.deviceIsOnline(token, at: now) }
        }
    }

    /// Whether the device with a token is online as far as the mock knows.
    private func isOnline(_ token: String) -> Bool {
        guard let token = try? DeviceToken(token) else { return false }
        return mock.device(token)?.isOnline ?? true
    }

    private func checkClock() {
        let now = mock.now
        let isDue = state.withLockedValue { $0.phones.nextChange.map { $0 <= now } ?? false }
        if isDue { change { $0.phones.timePassed(to: now) } }
    }

    private func finish() {
        let waits = state.withLockedValue { state in
            state.isOver = true
            return state.waits.removeAll()
        }
        for wait in waits { wait.end(.success(())) }
    }

    // MARK: Changing

    /// Changes the phones, records what changed, and resumes the waiting readers.
    @discardableResult
    private func change<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (result, waits) = state.withLockedValue { state in
            let result = Swift.Result { () throws(Failure) in try body(&state) }
            for change in state.phones.takeChanges() { state.changes.note(change) }
            state.changes.finish()
            return (result, state.waits.removeAll())
        }
        for wait in waits { wait.end(.success(())) }
        return try result.get()
    }

    /// Changes the phones at the present time.
    @discardableResult
    func change<Result, Failure: Error>(
        _ body: (inout Phones, Date) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let now = mock.now
        return try change { (state: inout State) throws(Failure) -> Result in
            state.phones.timePassed(to: now)
            return try body(&state.phones, now)
        }
    }

    /// Brings the phones back to the state after their start. Requests that have arrived until now do not count.
    func reset() {
        let total = mock.arrivalCount
        change { state in
            (state.ignoredThrough, state.uncounted) = (total, total)
            state.phones.reset()
        }
    }

    /// Counts no request that has arrived until now, because the log was cleared. The screens stay.
    func countAnew() {
        let total = mock.arrivalCount
        change { state in
            state.uncounted = total
            state.phones.countAnew(after: total)
        }
    }

    /// Counts a request no longer, because it was removed from the log.
    func uncount(_ number: Int) {
        change { state in
            state.uncounted += 1
            state.phones.uncount(number)
        }
    }

    func replace(with profiles: [PhoneProfile], files: PhoneFiles) {
        let now = mock.now
        let found = profiles.map(files.found)
        change { state in
            state.profiles = profiles
            state.files = files
            state.profileError = nil
            state.phones.replace(with: found, at: now)
        }
    }

    /// Begins with the phones that the file of another mock describes, if there is one.
    func useFile(of other: PhoneFeed) {
        let (profiles, files) = other.state.withLockedValue { ($0.profiles, $0.files) }
        if !profiles.isEmpty { replace(with: profiles, files: files) }
    }

    func note(profileError: String) {
        change { state in
            state.profileError = profileError
            state.phones.countAllAsChanged()
        }
    }

    /// Adds a phone or replaces its profile.
    ///
    /// - Returns: Whether it is new; `nil` if there are too many.
    func put(_ profile: PhoneProfile) -> Bool? {
        // A client of the API must not read the files of this machine, so its profile cannot name files.
        let found = PhoneFiles(folder: nil).found(for: profile)
        return change { $0.put(found, at: $1) }
    }

    // MARK: Reading

    /// Reads the phones at the present time, after they have processed all pushes that have arrived.
    func read<Result>(_ body: (Phones, Date) -> Result) async -> Result {
        await caughtUp()
        return readNow(body)
    }

    /// Reads the phones as they are.
    func readNow<Result>(_ body: (Phones, Date) -> Result) -> Result {
        checkDevices()
        checkClock()
        let now = mock.now
        return state.withLockedValue { body($0.phones, now) }
    }

    var profileError: String? { state.withLockedValue { $0.profileError } }

    /// How many requests don't count: they had arrived before the last reset, or were removed from the log.
    var uncounted: Int { state.withLockedValue { $0.uncounted } }

    var processedThrough: Int { state.withLockedValue { $0.processedThrough } }

    /// Whether the mock has stopped, or the phones are no longer fed.
    var isOver: Bool { state.withLockedValue { $0.isOver } }

    func changes(after count: Int) -> PhoneChanges.Page { state.withLockedValue { $0.changes.page(after: count) } }

    func record(of push: Int) -> PushRecord? { state.withLockedValue { $0.phones.record(of: push) } }

    // MARK: For searches

    func phoneResult(of number: Int) -> PhoneResult? {
        record(of: number).map { record in
            PhoneResult(
                outcome: record.outcome.kind.rawValue, phone: record.phone, attachment: record.card?.attachment?.name,
                group: record.card?.group)
        }
    }

    var changeCount: Int { state.withLockedValue { $0.changes.count } }

    func caughtUp() async {
        state.withLockedValue { $0.readers += 1 }
        defer { state.withLockedValue { $0.readers -= 1 } }
        let wanted = mock.arrivalCount
        let isRush = state.withLockedValue { $0.isRush }
        let end = ContinuousClock.now + (isRush ? Self.longestCatchUpInRush : Self.longestCatchUp)
        while !isCaughtUp(to: wanted), ContinuousClock.now < end, !Task.isCancelled {
            await change(after: changeCount, within: .milliseconds(100)) { self.isCaughtUp(to: wanted) }
        }
        checkDevices()
        checkClock()
    }

    private func isCaughtUp(to number: Int) -> Bool {
        let (through, isOver) = state.withLockedValue { ($0.processedThrough, $0.isOver) }
        if through >= number || isOver { return true }
        // Requests that were removed from the log are never processed.
        return mock.arrivalsNow(from: through + 1, atMost: 1).isEmpty
    }

    @discardableResult
    func change(after count: Int, within duration: Duration) async -> Bool {
        await change(after: count, within: duration) { false }
        return changeCount > count
    }

    private func change(after count: Int, within duration: Duration, unless isDone: @Sendable () -> Bool) async {
        guard duration > .zero, !isDone() else { return }
        let wait = MockWait<Void>()
        state.withLockedValue { state in
            if state.changes.count <= count, !state.isOver { state.waits.add(wait) } else { wait.end(.success(())) }
        }
        _ = await wait.result(before: .now() + TimeAmount(duration))
        state.withLockedValue { $0.waits.remove(wait) }
    }
}
