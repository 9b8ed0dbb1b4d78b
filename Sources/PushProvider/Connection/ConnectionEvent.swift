/// A report of a connection to its pool.
enum ConnectionEvent: Sendable {
    /// The connection reached the next phase, or began or stopped to wait for the answer to a PING.
    case progressed(PushOutcome.Phase, awaitsPing: Bool)
    /// The connection can take requests.
    case opened
    /// The connection has taken from the queue. Sent only if the pool asks for it.
    case pulled
    /// The queue holds more than the connection has room for, and perhaps no other connection was woken.
    case overflows
    /// The connection has put sends back into the queue: some to send at once, or all later. `later` is the latest time
    /// of the next check of the queue.
    case returned(atOnce: Bool, later: MonotonicTime)
    /// An answer says that the key does not match the connection. It may have matched before.
    case keyRefused(message: String, hadFitted: Bool)
    /// The server refuses the credentials for every request; with its error about the certificate, if there is one.
    case credentialsRefused(message: String, certificate: ConnectionFailure?)
    /// An answer has shown for the first time that the server accepts the credentials.
    case authenticated
    /// The newest provider token that can be made was refused as too old.
    case newestTokenRefused(message: String)
    /// The server refuses every notification for a topic.
    case topicRefused(String, message: String)
    /// The connection accepts no more requests; requests in flight may finish. A replacement makes sense only if this
    /// connection was of use.
    case stopsTaking(wasOfUse: Bool)
    /// The connection is closed.
    case closed(ConnectionEnding)
}

/// How a connection ended.
struct ConnectionEnding: Sendable {
    /// The reason; `nil` after an orderly end.
    var failure: ConnectionFailure?
    /// Whether it carried no request, and this side did not end it.
    var neverServed: Bool
    var use: ReconnectBackoff.ConnectionUse
}
