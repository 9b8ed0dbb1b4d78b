/// What an accepted request changes. It is applied before the next request is judged.
package enum Effect: Hashable, Sendable {
    /// A push counts for the rate limit of its device token.
    case pushed(token: String)
    /// A channel is created.
    case created(MockChannel, app: String, MockEnvironment)
    /// A channel is deleted.
    case deleted(id: String, app: String, MockEnvironment)
    /// A broadcast is sent to a channel.
    case broadcast(id: String, app: String, MockEnvironment)
}
