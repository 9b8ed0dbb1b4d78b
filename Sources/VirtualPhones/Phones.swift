public import PushPlatform

/// The phones of a mock: they take what the mock accepted, and say what a user would see.
///
///     var phones = Phones(try PhoneProfile.list(json: text))
///     phones.receive(push)
///     print(phones.record(of: push.number)?.outcome.text ?? "")
///
/// A pure machine: its methods receive events with their times, and return what is shown.
public struct Phones: Sendable {
    /// The maximum number of device tokens. Beyond it, the oldest is forgotten.
    public static let maximumDevices = 1000
    /// The maximum number of phones.
    public static let maximumPhones = 50
    /// The maximum number of ranges of missed pushes. Beyond it, the oldest is forgotten.
    private static let maximumRanges = 200

    /// An app on a device. A real token belongs to one app; testers like to use the same one for several.
    struct Device: Sendable, Hashable {
        var token: String
        var topic: String
    }

    var phones: [VirtualPhone]
    var devices: [Device: String] = [:]
    /// The devices in the order of their first push.
    var deviceOrder: [Device] = []
    /// The phones of the device tokens that profiles list.
    private var listed: [String: String] = [:]
    var records: PushRecords
    private var changes: [String: [Int]] = [:]
    var profilesAtStart: [PhoneProfile]
    let opener: PhoneEnvelopeOpener?
    /// How many pushes arrived lately.
    package private(set) var tally = PushTally()
    /// How many pushes arrived too fast for the phones.
    public private(set) var missed = 0
    private var missedNumbers: [ClosedRange<Int>] = []

    /// Creates phones.
    ///
    /// - Parameters:
    ///   - profiles: Their profiles. Without any, there is one phone with the id `phone`.
    ///   - opener: Opens sealed payloads for service extensions.
    ///   - recordCount: The maximum number of pushes whose outcome is kept. Beyond it, the oldest is forgotten.
    ///   - wholeRecordCount: The maximum number of pushes whose timeline is kept.
    public init(
        _ profiles: [PhoneProfile] = [], opener: PhoneEnvelopeOpener? = nil, recordCount: Int = 10_000,
        wholeRecordCount: Int = 10_000
    ) {
        profilesAtStart = profiles.isEmpty ? [.plain] : profiles
        phones = profilesAtStart.map { VirtualPhone($0, opener: opener) }
        self.opener = opener
        records = PushRecords(maximum: recordCount, maximumWhole: wholeRecordCount)
        noteListed()
    }

    // MARK: Pushes

    /// Receives a push that arrived at APNs.
    ///
    /// - Parameter push: The push. Its time counts as the time of the phones.
    public mutating func receive(_ push: PhonePush) {
        timePassed(to: push.time)
        tally.add(rejected: push.answer.isAccepted ? 0 : 1, at: push.time)
        var report = PushReport(of: push.number, at: push.time)
        report.add(.received, push.origin)
        guard push.answer.isAccepted else { return refuse(push, report) }
        report.add(.judged, push.answer.text, note: push.answer.fault.map { "Caused by the fault “\($0)”" })
        switch push.target {
        case .device(let token):
            let index = register(token, push.topic)
            apply(phones[index].receive(push, report), of: phones[index].profile.id, new: push.number)
        case .channel: broadcast(push, report)
        }
    }

    private mutating func refuse(_ push: PhonePush, _ report: PushReport) {
        var report = report
        let check = push.answer.check.map { "Check: \($0)" }
        let fault = push.answer.fault.map { "Caused by the fault “\($0)”" }
        report.add(.refused, push.answer.text, note: fault ?? check)
        report.outcome = PhoneOutcome(.rejected, push.answer.reason, why: fault ?? push.answer.detail)
        var phone: String?
        if case .device(let token) = push.target { phone = phones[index(of: token, push.topic)].profile.id }
        _ = records.add(report, phone: phone, isNew: true)
    }

    /// Hands a broadcast to all phones that listen to its channel.
    private mutating func broadcast(_ push: PhonePush, _ report: PushReport) {
        guard case .channel(let channel) = push.target else { return }
        var next = report
        var isShown = false
        for index in phones.indices where phones[index].listens(to: channel, push.topic) {
            var reports = phones[index].receive(push, next)
            if let last = reports.indices.last, isShown { reports[last].outcome = nil }
            isShown = isShown || reports.last?.outcome?.kind == .shown
            apply(reports, of: phones[index].profile.id, new: push.number)
            next = PushReport(of: push.number, at: push.time)
        }
        guard records[push.number] == nil else { return }
        next.hide("Nobody listens", why: "No Live Activity listens to this channel")
        _ = records.add(next, phone: nil, isNew: true)
    }

    /// Counts pushes that were skipped, because they arrived too fast.
    ///
    /// - Parameters:
    ///   - numbers: Their numbers.
    ///   - time: The time.
    public mutating func miss(_ numbers: ClosedRange<Int>, at time: Date) {
        missed += numbers.count
        tally.add(numbers.count, at: time)
        missedNumbers.append(numbers)
        if missedNumbers.count > Self.maximumRanges { missedNumbers.removeFirst() }
    }

    /// Moves the time forward: stored pushes expire, banners disappear, Live Activities become stale.
    public mutating func timePassed(to now: Date) {
        for index in phones.indices {
            let (reports, changed) = phones[index].timePassed(to: now)
            guard changed else { continue }
            apply(reports, of: phones[index].profile.id)
        }
    }

    /// When something changes by itself; `nil` for never.
    public var nextChange: Date? { phones.compactMap(\.nextChange).min() }

    mutating func apply(_ reports: [PushReport], of phone: String, new: Int? = nil) {
        var changed = changes[phone] ?? []
        for report in reports where records.add(report, phone: phone, isNew: report.push == new) {
            changed.append(report.push)
        }
        changes[phone] = changed
    }

    // MARK: Devices

    /// The device tokens, in lower case, of the devices of the mock for which pushes are stored.
    public var offlineDevices: Set<String> { Set(phones.flatMap(\.offlineDevices)) }

    /// A device of the mock is online again.
    ///
    /// - Parameters:
    ///   - token: Its device token, in lower case.
    ///   - now: The time.
    public mutating func deviceIsOnline(_ token: String, at now: Date) {
        for index in phones.indices {
            let reports = phones[index].deviceIsOnline(token, at: now)
            if !reports.isEmpty { apply(reports, of: phones[index].profile.id) }
        }
    }

    private func index(of token: String, _ topic: String) -> Int {
        let known = listed[token] ?? devices[Device(token: token, topic: topic)]
        if let known, let index = index(of: known) { return index }
        return phones.firstIndex { phone in
            phone.profile.apps.contains { $0.topic == topic && $0.tokens.isEmpty }
        } ?? 0
    }

    func index(of phone: String) -> Int? { phones.firstIndex { $0.profile.id == phone } }

    /// Notes a device token.
    ///
    /// - Returns: The index of its phone.
    private mutating func register(_ token: String, _ topic: String) -> Int {
        let index = index(of: token, topic)
        let device = Device(token: token, topic: topic)
        let id = phones[index].profile.id
        guard devices[device] != id else { return index }
        if let old = devices.updateValue(id, forKey: device) {
            forget(device, on: old)
        } else {
            deviceOrder.append(device)
        }
        if phones[index].apps[topic]?.tokens.contains(token) != true {
            phones[index].apps[topic, default: PhoneApp(PhoneAppProfile(topic: topic))].tokens.append(token)
        }
        if deviceOrder.count > Self.maximumDevices {
            let oldest = deviceOrder.removeFirst()
            if let phone = devices.removeValue(forKey: oldest) { forget(oldest, on: phone) }
        }
        return index
    }

    private mutating func forget(_ device: Device, on phone: String) {
        guard let index = index(of: phone), let app = phones[index].apps[device.topic],
            !app.profile.tokens.contains(device.token)
        else { return }
        phones[index].apps[device.topic]?.tokens.removeAll { $0 == device.token }
        if phones[index].apps[device.topic]?.tokens.isEmpty == true { phones[index].forgetApp(device.topic) }
    }

    mutating func noteListed() {
        listed = [:]
        for phone in phones {
            for token in phone.profile.apps.flatMap(\.tokens) where listed[token] == nil {
                listed[token] = phone.profile.id
            }
        }
    }

    // MARK: The outcomes of pushes

    /// The outcome of a push; `nil` if it is unknown or too old.
    public func record(of push: Int) -> PushRecord? {
        if let record = records[push] { return record }
        guard missedNumbers.contains(where: { $0.contains(push) }) else { return nil }
        return PushRecord(
            outcome: PhoneOutcome(.missed, "Not looked at", why: "Pushes arrived faster than the phones process them"))
    }

    /// Counts only pushes after this one from now on, because the log no longer has the others. The screens stay.
    public mutating func countAnew(after push: Int) {
        records.countAnew(after: push)
        missed = 0
    }

    /// Counts a push no longer, because it was removed from the log. The screen of its phone stays.
    public mutating func uncount(_ push: Int) { records.uncount(push) }

    /// How many pushes have each outcome now, since the start or the last reset.
    public var counts: [PhoneOutcome.Kind: Int] {
        var counts = records.counts
        counts[.missed] = missed
        return counts
    }

    /// A change on a phone.
    public struct Change: Sendable, Hashable {
        /// The id of the phone.
        public var phone: String
        /// The pushes whose outcome is another one now.
        public var pushes: [Int]
    }

    /// Returns what changed since the last call.
    public mutating func takeChanges() -> [Change] {
        defer { changes = [:] }
        return changes.map { Change(phone: $0.key, pushes: $0.value) }.sorted { $0.phone < $1.phone }
    }

    /// Counts each phone as changed, because of something that belongs to it and is kept elsewhere.
    package mutating func countAllAsChanged() {
        for id in ids { apply([], of: id) }
    }

    /// Brings the phones back to the state after their start: their screens and all records are empty.
    public mutating func reset() {
        let affected = Set(ids)
        phones = profilesAtStart.map { VirtualPhone($0, opener: opener) }
        devices = [:]
        deviceOrder = []
        records.removeAll()
        tally = PushTally()
        missed = 0
        missedNumbers = []
        noteListed()
        for id in affected.union(ids) { apply([], of: id) }
    }
}

extension VirtualPhone {
    func listens(to channel: String, _ topic: String) -> Bool {
        activities.contains { $0.channel == channel && $0.topic == topic }
    }
}
