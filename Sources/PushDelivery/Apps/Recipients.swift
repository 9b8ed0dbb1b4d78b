internal import APNSVocabulary
internal import NIOConcurrencyHelpers
internal import PushPlatform
internal import PushProvider
package import PushQueue
internal import PushTime

/// The id of a user of an app, by its bytes: Swift takes two texts that look the same for equal, and a table doesn't.
package struct UserID: Hashable, Sendable, ExpressibleByStringInterpolation {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.text = text }

    package static func == (left: UserID, right: UserID) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

/// The table of devices of an app, within limits: few ask at the same time, no API key has more than half of their places, and while it
/// fails, it is asked only now and then.
///
/// Two are equal if their settings are.
package final class Recipients: Sendable {
    /// Where the table is, perhaps with a password. It is never shown. A change of it makes another table.
    private let address: String
    private let queries: RecipientQueries
    /// What all workers must have in common, without secrets, and without what can differ between machines.
    let shared: String
    private let table: any RecipientTable
    package let audiences: [String]
    /// Whether tokens are deleted that Apple has reported gone.
    package let deletesGone: Bool

    private struct State {
        /// How many requests of each API key wait; those without a key have the number -1.
        var waiting: [Int: Int] = [:]
        /// The API keys whose counts run.
        var counting: Set<Int> = []
        /// The last users whom the table has accepted.
        var accepted: [UserID] = []
        var failures = 0
        var failure: QueueError?
        /// What is wrong with each statement that is, by its name, until it has succeeded. Other statements can be used.
        var wrong: [String: QueueError] = [:]
        var next = ContinuousClock.now

        /// Why the table, or one of its statements, cannot be used.
        var problem: QueueError? {
            if let failure { return failure }
            let texts = wrong.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
            return texts.isEmpty ? nil : QueueError(.damaged, texts.joined(separator: " "))
        }
    }

    private let state = NIOLockedValueBox(State())
    private let watcher = NIOLockedValueBox<@Sendable () -> Void>({})

    /// How many requests may wait for the table at the same time. Beyond it, they fail at once.
    package static let maximumWaiting = 64
    /// How many of them may be of one API key.
    private static let maximumOfKey = maximumWaiting / 2
    /// How many counts may run at the same time, each of another API key.
    package static let maximumCounts = 2
    /// How many accepted users are known: any of them may be gone by now.
    private static let maximumAccepted = 4
    /// The growth of the pauses between two questions while the table fails.
    private static let pauses = ExponentialBackoff(first: .seconds(1), longest: .seconds(30))

    /// Creates the recipients of an app.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - address: Where the table is, with everything that makes it another one. It is never shown.
    ///   - place: Where it is, without a password and options.
    ///   - queries: The statements.
    package init(_ table: any RecipientTable, address: String, place: String = "", _ queries: RecipientQueries) {
        (self.table, self.address, self.queries) = (table, address, queries)
        let statements = queries.audiences.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        shared = ([place, queries.ofUser, queries.gone ?? ""] + statements).joined(separator: "\n")
        (audiences, deletesGone) = (queries.audiences.keys.sorted(), queries.gone != nil)
    }

    /// Why the table cannot be asked, or which of its statements are wrong; `nil` if all is well.
    package var failure: String? { state.withLockedValue { $0.problem?.description } }

    /// Sets the function that is called at each change of ``failure``. It replaces the one before.
    func watch(_ changed: @escaping @Sendable () -> Void) { watcher.withLockedValue { $0 = changed } }

    /// How long a push waits until the table is asked again.
    var pause: Duration {
        state.withLockedValue { Self.pauses.pause(after: max($0.failures - 1, 0)) }
    }

    /// Asks which devices users have now.
    ///
    /// - Parameters:
    ///   - users: The users, each once.
    ///   - atClaim: Whether a worker asks before it sends. It never waits for those who make pushes.
    ///   - sender: The number of the API key whose request asks; `nil` if it has none.
    /// - Returns: The devices of each user, with their tokens in hex; for a user whom the table does not take, why.
    /// - Throws: `QueueError` if the table cannot be asked.
    package func devices(
        of users: [UserID], atClaim: Bool = false, sender: Int? = nil
    ) async throws(QueueError) -> [UserID: Result<[RecipientDevice], QueueError>] {
        let place = atClaim ? nil : sender ?? -1
        try begin(place)
        do throws(QueueError) {
            let found = try await ask(users, atClaim)
            try await requireAccepting(found, atClaim)
            end(place, nil)
            return found
        } catch {
            end(place, error)
            throw error
        }
    }

    private func ask(
        _ users: [UserID], _ atClaim: Bool
    ) async throws(QueueError) -> [UserID: Result<[RecipientDevice], QueueError>] {
        do throws(QueueError) {
            let devices = try await table.devices(of: users.map(\.text), atClaim: atClaim)
            let known = zip(users, devices).map { user, devices in
                (user, Result<[RecipientDevice], QueueError>.success(devices.map(\.normalized)))
            }
            return Dictionary(known) { first, _ in first }
        } catch {
            // One of them does not fit the statement. The others are not held up.
            guard error.code == .invalid else { throw error }
            guard users.count > 1 else { return [users[0]: .failure(error)] }
            let middle = users.count / 2
            let first = try await ask(Array(users[..<middle]), atClaim)
            return first.merging(try await ask(Array(users[middle...]), atClaim)) { first, _ in first }
        }
    }

    /// If the table accepts none of the users, it is asked for some whom it has accepted before. What it refuses for each is no mistake of a
    /// user: a function that it calls may fail. The users of pushes that wait were all accepted before.
    private func requireAccepting(
        _ found: [UserID: Result<[RecipientDevice], QueueError>], _ atClaim: Bool
    ) async throws(QueueError) {
        let accepted = found.filter { Self.isAccepted($0.value) }.keys
        guard accepted.isEmpty else {
            return state.withLockedValue {
                $0.accepted = Array((accepted + $0.accepted.filter { found[$0] == nil }).prefix(Self.maximumAccepted))
            }
        }
        let earlier = state.withLockedValue { $0.accepted }
        guard !earlier.isEmpty else {
            if atClaim, found.count > 1 { _ = try found.values.first?.get() }
            return
        }
        let others = try await ask(earlier, atClaim)
        if !others.values.contains(where: Self.isAccepted) { _ = try others.values.first?.get() }
    }

    private static func isAccepted(_ answer: Result<[RecipientDevice], QueueError>) -> Bool {
        (try? answer.get()) != nil
    }

    /// How many devices an audience has. The sender is the number of the API key whose request asks.
    package func count(of audience: String, sender: Int? = nil) async throws(QueueError) -> Int {
        let sender = sender ?? -1
        try require { state in
            guard state.counting.count < Self.maximumCounts, state.counting.insert(sender).inserted else {
                return "As many counts of audiences as possible run already."
            }
            return nil
        }
        defer { _ = state.withLockedValue { $0.counting.remove(sender) } }
        do throws(QueueError) { return try await table.count(of: audience) } catch {
            // A long count and a wrong statement say nothing about the table: pushes to users ask another statement.
            if ![.busy, .damaged, .invalid].contains(error.code) { change { $0.failure = error } }
            throw error
        }
    }

    package func page(of audience: String, after id: Int64, limit: Int) async throws(QueueError) -> [AudienceDevice] {
        try await using(RecipientQueries.name(ofAudience: audience)) { () throws(QueueError) in
            try await table.page(of: audience, after: id, limit: limit).map { device in
                AudienceDevice(device.id, device.token, registered: device.registered?.registration)
            }
        }
    }

    package func delete(_ gone: [GoneToken]) async throws(QueueError) {
        guard !gone.isEmpty else { return }
        try await using(RecipientQueries.goneName) { () throws(QueueError) in try await table.delete(gone) }
    }

    /// Runs a statement that is repeated until it succeeds, and notes why it fails. A value that it refuses says nothing about it.
    private func using<Value>(
        _ statement: String, _ body: () async throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        do throws(QueueError) {
            let value = try await body()
            change { $0.wrong[statement] = nil }
            return value
        } catch {
            if error.code != .invalid { change { $0.wrong[statement] = error } }
            throw error
        }
    }

    /// Takes a place for a request of an API key; `nil` for a worker, which needs none.
    private func begin(_ place: Int?) throws(QueueError) {
        try require { state in
            guard let place else { return nil }
            let (all, own) = (state.waiting.values.reduce(0, +), state.waiting[place, default: 0])
            guard all < Self.maximumWaiting, own < Self.maximumOfKey else {
                return "\(all) requests wait for the table of devices already."
            }
            state.waiting[place] = own + 1
            return nil
        }
    }

    /// Throws what a limit says, or why the table is not asked now.
    private func require(_ limit: (inout State) -> String?) throws(QueueError) {
        let error = state.withLockedValue { state -> QueueError? in
            if let failure = state.failure, .now < state.next { return failure }
            return limit(&state).map { QueueError(.busy, $0) }
        }
        if let error { throw error }
    }

    private func end(_ place: Int?, _ error: QueueError?) {
        change { state in
            if let place, let count = state.waiting[place] { state.waiting[place] = count > 1 ? count - 1 : nil }
            state.failure = error
            state.failures = error == nil ? 0 : state.failures + 1
            if error == nil { state.wrong[RecipientQueries.ofUserName] = nil }
            if error != nil { state.next = .now + Self.pauses.pause(after: state.failures - 1) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let isOther = state.withLockedValue { state in
            let before = (state.failure, state.wrong)
            body(&state)
            return before != (state.failure, state.wrong)
        }
        if isOther { watcher.withLockedValue { $0 }() }
    }

    /// Checks all statements. A failure counts until the table answers, or until another check.
    ///
    /// - Throws: `QueueError` that names each wrong statement, or why the table cannot be asked.
    package func check() async throws(QueueError) {
        do throws(QueueError) {
            let wrong = try await table.check()
            change {
                if $0.failures == 0 { $0.failure = nil }
                $0.wrong = wrong
            }
        } catch {
            change { $0.failure = error }
            throw error
        }
        if let problem = state.withLockedValue({ $0.problem }) { throw problem }
    }
}

extension Recipients: Hashable {
    package static func == (left: Recipients, right: Recipients) -> Bool {
        left.address == right.address && left.queries == right.queries
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(queries) }
}

extension RecipientDevice {
    /// The device with its token as a push has it. What is no token stays as it is.
    fileprivate var normalized: RecipientDevice {
        var device = self
        device.token = (try? DeviceToken(pasted: token)).map { TokenText.canonical($0.hex) } ?? token
        device.registered = registered?.registration
        return device
    }
}

extension QueueTime {
    /// The time as that of a registration; `nil` if it cannot be one, as in the future, which would hide for ever that the token is gone.
    fileprivate var registration: QueueTime? {
        let now = Int(QueueTime.now.milliseconds / 1000)
        return TimeChecks.mistake(inRegistration: date, secondsSince1970: now) == nil ? self : nil
    }
}
