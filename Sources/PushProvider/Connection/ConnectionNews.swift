/// What a connection tells the pool that keeps it.
enum ConnectionNews: Sendable {
    /// How far it has come, or whether the answer to a PING is awaited before it is used.
    case progressed(PushPhase, awaitsPing: Bool)
    /// It can take requests.
    case opened
    /// It has taken what it had room for, where the pool has asked to be told.
    case pulled
    /// There is more in the queue than it has room for, and nobody may have been woken for it.
    case overflows
    /// It has put sends back into the queue: to be sent at once, or later. Then is the latest time to look after them.
    case returned(atOnce: Bool, later: MonotonicTime)
    /// An answer was that the key does not fit the connection, which may have fitted before.
    case keyRefused(message: String, hadFitted: Bool)
    /// The server refuses the credentials, whatever is sent; what it said of the certificate, where it was that.
    case credentialsRefused(message: String, certificate: ConnectionFailure?)
    /// An answer has shown for the first time that the server takes this client for who it is.
    case authenticated
    /// The newest provider token that can be made was refused as too old.
    case newestTokenRefused(message: String)
    /// The server refuses a topic, whatever is sent to it.
    case topicRefused(String, message: String)
    /// It takes no more requests; what is in flight may finish. Another one is of use only where this one was.
    case stopsTaking(wasOfUse: Bool)
    /// It is gone.
    case closed(ConnectionEnding)
}

/// How a connection ended.
struct ConnectionEnding: Sendable {
    /// Why; `nil` when both sides had nothing more to say.
    var failure: ConnectionFailure?
    /// It has never carried a request, and this side did not want it to end.
    var neverServed: Bool
    var worth: ReconnectBackoff.Worth
}
