import PushQueue

/// What is known of an API key. The key itself is not: only its digest is stored.
struct KeyFacts: Hashable, Sendable {
    /// The public part of the key: 8 letters and digits.
    var id: String
    /// What the key is for; empty for nothing.
    var name: String
    /// The apps that the key is for; `*` is for all apps, also later ones.
    var apps: [String]
    /// What the key may do, in order.
    var scopes: [String]
    /// When the key was made.
    var created: QueueTime

    /// Stands for all apps.
    static let allApps = "*"
    /// The scopes that a key can have.
    static let knownScopes = ["send", "read", "cancel", "admin"]
}

/// The API keys of a queue.
protocol KeyStore: Sendable {
    /// Makes a key. Its text cannot be shown again.
    func create(
        apps: [String], scopes: [String], name: String
    ) async throws(QueueError) -> (text: String, facts: KeyFacts)

    /// All keys, in the order of their ids.
    func list() async throws(QueueError) -> [KeyFacts]

    /// Revokes a key. Returns whether there was such a key.
    func revoke(_ id: String) async throws(QueueError) -> Bool
}
