import NIOConcurrencyHelpers
import PushDelivery
import PushQueue

/// A team's table of devices in memory, with the audience "vip".
final class TeamTable: RecipientTable {
    struct State {
        var users: [UserID: [RecipientDevice]] = [:]
        var vip: [AudienceDevice] = []
        /// Changes what the audience's query returns; `nil` for a right one.
        var broken: (@Sendable (_ after: Int64) -> [AudienceDevice])?
        var failure: QueueError?
        /// Runs once, after the devices of a user were read.
        var meanwhile: (@Sendable () async -> Void)?
        /// Runs each time, after the devices of so many users were read.
        var eachTime: (@Sendable (_ users: Int) async -> Void)?
        /// Runs before each page of an audience.
        var beforePage: (@Sendable () async -> Void)?
        var refusesDeletions = false
        var deleted: [GoneToken] = []
    }

    private let state = NIOLockedValueBox(State())

    func change(_ body: (inout State) -> Void) { state.withLockedValue { body(&$0) } }

    var deleted: [GoneToken] { state.withLockedValue { $0.deleted } }

    static func token(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "d", count: 64 - digits.count) + digits
    }

    /// The apps "shop", with this table, and "news".
    func apps(_ change: (inout AppSettings) -> Void = { _ in }) -> [String: AppSettings] {
        let queries = RecipientQueries(ofUser: "SELECT", audiences: ["vip": "SELECT"], gone: "DELETE")
        let shop = RunningService.app("shop") {
            $0.recipients = Recipients(self, address: "test", queries)
            change(&$0)
        }
        return ["shop": shop, "news": RunningService.app("news")]
    }

    private func read<Value>(_ body: (State) -> Value) throws(QueueError) -> Value {
        let (failure, value) = state.withLockedValue { ($0.failure, body($0)) }
        if let failure { throw failure }
        return value
    }

    func check() async throws(QueueError) -> [String: QueueError] { [:] }

    func devices(of users: [String], atClaim: Bool) async throws(QueueError) -> [[RecipientDevice]] {
        if users.contains("wrong") { throw QueueError(.invalid, "This isn't a number.") }
        let found = try read { state in users.map { state.users[UserID($0)] ?? [] } }
        let (meanwhile, eachTime) = state.withLockedValue { state in
            defer { state.meanwhile = nil }
            return (state.meanwhile, state.eachTime)
        }
        await meanwhile?()
        await eachTime?(users.count)
        return found
    }

    func page(of audience: String, after id: Int64, limit: Int) async throws(QueueError) -> [AudienceDevice] {
        await state.withLockedValue { $0.beforePage }?()
        return try read { state in
            if let broken = state.broken { return broken(id) }
            return Array(state.vip.filter { ($0.id ?? 0) > id }.prefix(limit))
        }
    }

    func count(of audience: String) async throws(QueueError) -> Int { try read { $0.vip.count } }

    func delete(_ gone: [GoneToken]) async throws(QueueError) {
        let refuses = try read { $0.refusesDeletions }
        if refuses, gone.contains(where: { $0.token == Self.token(1) }) {
            throw QueueError(.invalid, "Other rows refer to this one.")
        }
        change { $0.deleted += gone }
    }
}
