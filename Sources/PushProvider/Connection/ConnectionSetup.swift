internal import Logging
internal import PushWire

/// What all connections of a client have in common.
struct ConnectionSetup {
    var environment: PushEnvironment
    var path = NetworkPath()
    var tls: TLSContext
    /// The queue.
    var intake: SendIntake
    /// `nil` where the certificate shown in the handshake is the credential.
    var tokens: ProviderTokenSource?
    var timing: ClientTiming
    var retry: RetryPolicy
    /// The most streams of a connection, whatever the server allows.
    var streamsPerConnection: Int
    var firstStreamID: Int32 = 1
    var metrics: PushMetrics
    var tally: OutcomeTally
    var logger: Logger

    /// TLS and HTTP/2 for one connection.
    func makeWire() throws -> HTTP2OverTLS {
        var limits = HTTP2Session.Limits()
        limits.openStreams = streamsPerConnection
        limits.firstStreamID = firstStreamID
        limits.keptFields = ParsedAnswer.fields
        limits.commonFields = KeptRequest(
            OutgoingFields([(":method", "POST"), (":scheme", "https"), (":authority", environment.authority)]))
        limits.keptFieldsOfRefusals = ParsedAnswer.fieldsOfRefusals
        return HTTP2OverTLS(
            tls: try TLSSession(context: tls, hostName: environment.serverName),
            http2: try HTTP2Session(role: .client, limits: limits)
        )
    }
}
