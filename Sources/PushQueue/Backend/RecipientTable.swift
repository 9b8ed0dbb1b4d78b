/// A team's own table of devices: who has which device token now, and who belongs to an audience.
package protocol RecipientTable: Sendable {
    /// Prepares all statements and runs none of them.
    ///
    /// - Returns: What is wrong with each statement that is, by its name.
    /// - Throws: `QueueError` if the database cannot be asked.
    func check() async throws(QueueError) -> [String: QueueError]

    /// The devices of users that have a token, in their order. A user has at most ``RecipientDevice/maximum`` + 1 in the answer.
    ///
    /// - Throws: `QueueError`: `.invalid` if one of the users does not fit the statement.
    func devices(of users: [String], atClaim: Bool) async throws(QueueError) -> [[RecipientDevice]]

    func page(of audience: String, after id: Int64, limit: Int) async throws(QueueError) -> [AudienceDevice]

    func count(of audience: String) async throws(QueueError) -> Int

    /// Runs the team's own statement for tokens that Apple has reported gone.
    func delete(_ gone: [GoneToken]) async throws(QueueError)
}

package struct RecipientQueries: Sendable, Hashable {
    /// Selects `token`, and perhaps `registered_at` and `kind`, of the user `$1`.
    package var ofUser: String
    /// By name: selects `id`, `token` and perhaps `registered_at` of the devices after the id `$1`, at most `$2`.
    package var audiences: [String: String]
    /// Deletes the token `$1`, unless it was registered after `$2`; `nil` to delete nothing.
    package var gone: String?

    /// The names of statements, for people.
    package static let (ofUserName, goneName) = ("of_user", "gone")
    package static func name(ofAudience audience: String) -> String { "the audience \"\(audience)\"" }

    package init(ofUser: String, audiences: [String: String] = [:], gone: String? = nil) {
        (self.ofUser, self.audiences, self.gone) = (ofUser, audiences, gone)
    }
}

package struct RecipientDevice: Sendable, Hashable {
    /// The token as it is in the table.
    package var token: String
    /// When the app registered it; `nil` if that is not known.
    package var registered: QueueTime?
    /// Which push types its token is for: `device` for alerts and background pushes, otherwise the push type.
    package var kind: String

    /// The maximum number of devices of one user. Beyond it, a push to the user is refused.
    package static let maximum = 100
    /// The kind of a table without this column.
    package static let defaultKind = "device"

    package init(_ token: String, registered: QueueTime? = nil, kind: String = Self.defaultKind) {
        (self.token, self.registered, self.kind) = (token, registered, kind)
    }
}

package struct AudienceDevice: Sendable, Hashable {
    /// Becomes the number of the line; `nil` if the query returned NULL.
    package var id: Int64?
    /// `nil` if the query returned NULL.
    package var token: String?
    /// When the app registered it; `nil` if that is not known.
    package var registered: QueueTime?

    package init(_ id: Int64?, _ token: String?, registered: QueueTime? = nil) {
        (self.id, self.token, self.registered) = (id, token, registered)
    }
}
