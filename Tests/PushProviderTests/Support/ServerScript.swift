import PushWire

/// How a ``ScriptedServer`` treats its connections by itself; a test does the rest through ``ServedConnection``.
struct ServerScript: Sendable {
    enum Opening: Sendable {
        /// TLS and HTTP/2 as they should be.
        case serves
        /// TLS as it should be, then silence: not even SETTINGS, until they are released.
        case withholdsHTTP2
        /// TCP and nothing else.
        case neverSpeaksTLS
        /// HTTP/1.1 without TLS.
        case speaksPlainly
        /// The connection ends as soon as it is there.
        case closes
    }

    /// How the connection with a number begins, counted from 1.
    var opening: @Sendable (_ connection: Int) -> Opening = { _ in .serves }
    /// What is announced at the beginning.
    var settings = HTTP2Settings(maxConcurrentStreams: 1000)
    /// `h2` is agreed on in TLS.
    var speaksHTTP2 = true
    /// Clients are let in that agree on no protocol in TLS.
    var takesOthers = false
    /// A client certificate that has expired ends the handshake.
    var refusesExpired = false
    /// The size of the kernel's buffer for what arrives; the system's own by default.
    var receiveBuffer: Int?
    /// What is done when a request is complete; by default it is held.
    var onRequest: @Sendable (ServedRequest) -> [ServerStep] = { _ in [] }

    /// A server that answers everything in one way.
    static func answering(_ status: Int, body: String = "") -> ServerScript {
        ServerScript(onRequest: { [.answer($0.streamID, status, body: body)] })
    }
}

/// A request as it came.
struct ServedRequest: Sendable {
    /// The connection's number, from 1.
    var connection: Int
    /// The request's number on its connection, from 1.
    var number: Int
    var streamID: Int32
    var fields: [String: String]
    var body: String

    var apnsID: String { fields["apns-id"] ?? "" }
}

/// An answer as it was ordered.
struct ServedAnswer: Sendable {
    var status: Int
    var body: String
}

/// One thing that the server does.
enum ServerStep: Sendable {
    /// HTTP/2 that was withheld goes out.
    case release
    case announce(HTTP2Settings)
    case answer(Int32, Int, headers: [String: String] = [:], body: String = "")
    case reset(Int32, HTTP2ErrorCode)
    case goAway(lastStreamID: Int32, HTTP2ErrorCode = .noError, text: String = "")
    case ping(UInt64)
    /// Bytes below HTTP/2.
    case frame([UInt8])
    /// Nothing is read any more.
    case stopReading
    /// TLS's notice of the end, then FIN.
    case close
    /// FIN without a word.
    case hangUp
    /// RST.
    case abort
}

/// What a connection has seen.
struct ServerRecord: Sendable {
    /// TLS is there.
    var isEstablished = false
    /// The common name of the certificate that the client has shown.
    var clientCertificate: String?
    /// How often the client has asked by a PING.
    var pings = 0
    /// Plaintext that came, in bytes.
    var plaintextBytes = 0
    var settingsCount = 0
    /// Streams whose HEADERS came, in order.
    var opened: [Int32] = []
    /// Requests that came whole, in order.
    var requests: [ServedRequest] = []
    /// What was answered, by stream; frames written by hand are not among it.
    var answers: [Int32: ServedAnswer] = [:]
    /// Streams that were reset as not processed.
    var refused: Set<Int32> = []
    /// The last stream that is processed, as a GOAWAY has said.
    var lastStreamTaken = Int32.max
    /// The codes of the client's RST_STREAM frames.
    var resets: [Int32: HTTP2ErrorCode] = [:]
    /// The client has said GOAWAY.
    var saidGoodbye = false
    var pingsAnswered: Set<UInt64> = []
    /// Streams that neither side has ended.
    var open: Set<Int32> = []
    var mostOpen = 0
    /// The client has closed its side, or nothing is left of the connection.
    var isClosedByClient = false
    var isClosed = false
}
