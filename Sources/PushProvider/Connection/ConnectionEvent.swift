internal import NIOCore

enum ConnectionEvent: Sendable {
    /// The connection reached the next phase, or began or stopped to wait for the answer to a PING.
    case progressed(PushOutcome.Phase, awaitsPing: Bool)
    case opened
    /// The connection has taken from the queue. Sent only if the pool asks for it.
    case pulled
    /// The queue holds more than the connection has room for, and perhaps no other connection was woken.
    case overflows
    /// The connection has put sends back into the queue: some to send at once, or all later. `later` is the latest time
    /// of the next check of the queue: when the first of the others can be sent, or when the deadline of one passes.
    case returned(atOnce: Bool, later: MonotonicTime)
    /// An answer says that the key does not match the connection. It may have matched before.
    case keyRefused(message: String, hadFitted: Bool)
    /// The server refuses the credentials for every request; with its error about the certificate, if there is one.
    case credentialsRefused(message: String, certificate: ConnectionFailure?)
    /// An answer has shown for the first time that the server accepts the credentials.
    case authenticated
    /// The newest provider token that can be made was refused as too old.
    case newestTokenRefused(message: String)
    case topicRefused(String, message: String)
    /// The connection accepts no more requests; requests in flight may finish. A replacement makes sense only if this
    /// connection was of use.
    case stopsTaking(wasOfUse: Bool)
    case closed(ConnectionEnding)
}

struct ConnectionEnding: Sendable {
    /// The reason; `nil` after an orderly end.
    var failure: ConnectionFailure?
    /// Whether it carried no request, and this side did not end it.
    var neverServed: Bool
    var use: ReconnectBackoff.ConnectionUse
}

/// Lets the pool call a connection. The calls run on the event loop of the connection.
// The compiler does not check it: all properties are constant, and the connection, which is not Sendable, is used only
// through `perform`, on `loop`.
final class ConnectionHandle: @unchecked Sendable {
    let number: Int
    let loop: any EventLoop
    /// Use it only on `loop`.
    private let connection: ClientConnection

    init(_ connection: ClientConnection, loop: any EventLoop) {
        number = connection.number
        self.loop = loop
        self.connection = connection
    }

    func perform(_ body: @escaping @Sendable (ClientConnection) -> Void) {
        if loop.inEventLoop {
            body(connection)
        } else {
            loop.execute { body(self.connection) }
        }
    }
}

struct EndReason {
    private(set) var failure: ConnectionFailure?
    /// The server's GOAWAY, for people.
    private(set) var goAwayMessage: String?
    /// The reason in the server's GOAWAY.
    private(set) var goAwayReason: RejectionReason?

    /// The error of the server about the certificate, if the server refuses it. The next connection would end in the
    /// same way.
    var certificateRefusal: ConnectionFailure? { failure.flatMap { $0.isAboutCredentials ? $0 : nil } }

    /// The connection has failed. The first failure counts.
    mutating func failed(_ failure: ConnectionFailure) {
        if self.failure == nil { self.failure = failure }
    }

    /// The server has sent GOAWAY.
    ///
    /// - Parameters:
    ///   - message: Its description.
    ///   - reason: The reason in it, if there is one.
    ///   - refusal: What it says about the certificate. This counts, even if the socket reports another error at the
    ///     end.
    mutating func goAwayReceived(_ message: String, _ reason: RejectionReason?, refusal: ConnectionFailure?) {
        goAwayMessage = message
        goAwayReason = reason
        if let refusal { failure = refusal }
    }

    /// The connection has ended.
    ///
    /// - Parameters:
    ///   - peer: The server, for messages.
    ///   - phase: For an unused connection: the phase that it had reached. `nil` if it has carried a request, or if this
    ///     side has ended it.
    /// - Returns: The failure that says the reason.
    mutating func ended(by peer: String, unusedIn phase: PushOutcome.Phase?) -> ConnectionFailure {
        var failure = self.failure ?? .ended(by: peer, message: goAwayMessage, reason: goAwayReason)
        if let phase, failure.phase == .wait { failure.phase = phase }
        self.failure = failure
        return failure
    }
}
