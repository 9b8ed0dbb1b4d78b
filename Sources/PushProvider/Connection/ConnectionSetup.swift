internal import Logging
internal import NIOCore
internal import PushWire

struct ConnectionSetup {
    var environment: PushEnvironment
    var path = NetworkPath()
    var tls: TLSContext
    var intake: SendIntake
    /// `nil` if the client authenticates with a certificate.
    var tokens: ProviderTokenSource?
    var timing: ClientTiming
    var retry: PushConfiguration.RetryPolicy
    /// The maximum number of streams of a connection, even if the server allows more.
    var streamsPerConnection: Int
    var firstStreamID: Int32 = 1
    /// The maximum number of bytes of an answer's body that are kept. The rest is dropped.
    var answerBytes = HTTP2Session.Limits().bodyBytes
    var metrics: PushMetrics
    var logger: Logger

    /// Makes TLS and HTTP/2 for one connection.
    func makeWire() throws -> HTTP2OverTLS {
        var limits = HTTP2Session.Limits()
        limits.openStreams = streamsPerConnection
        limits.firstStreamID = firstStreamID
        limits.bodyBytes = answerBytes
        limits.keptFields = ParsedAnswer.fields
        limits.commonFields = KeptRequest(
            OutgoingFields([(":scheme", "https"), (":authority", environment.authority)]))
        limits.keptFieldsOfRefusals = ParsedAnswer.fieldsOfRefusals
        return HTTP2OverTLS(
            tls: try TLSSession(context: tls, hostName: environment.serverName),
            http2: try HTTP2Session(role: .client, limits: limits)
        )
    }
}
