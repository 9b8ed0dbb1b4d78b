package import PushWire

/// How a ``ScriptedServer`` treats its connections by itself; a test does the rest through ``ServedConnection``.
package struct ServerScript: Sendable {
    package enum Opening: Sendable {
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
    package var opening: @Sendable (_ connection: Int) -> Opening
    /// What is announced at the beginning.
    package var settings: HTTP2Settings
    /// `h2` is agreed on in TLS.
    package var speaksHTTP2: Bool
    /// Clients are let in that agree on no protocol in TLS.
    package var acceptsOthers: Bool
    /// A client certificate that has expired ends the handshake.
    package var refusesExpired: Bool
    /// The size of the kernel's buffer for what arrives; the system's own by default.
    package var receiveBuffer: Int?
    /// What is done when a request is complete; by default it is held.
    package var onRequest: @Sendable (ServedRequest) -> [ServerStep]

    package init(
        opening: @escaping @Sendable (_ connection: Int) -> Opening = { _ in .serves },
        settings: HTTP2Settings = HTTP2Settings(maxConcurrentStreams: 1000), speaksHTTP2: Bool = true,
        acceptsOthers: Bool = false, refusesExpired: Bool = false, receiveBuffer: Int? = nil,
        onRequest: @escaping @Sendable (ServedRequest) -> [ServerStep] = { _ in [] }
    ) {
        self.opening = opening
        self.settings = settings
        self.speaksHTTP2 = speaksHTTP2
        self.acceptsOthers = acceptsOthers
        self.refusesExpired = refusesExpired
        self.receiveBuffer = receiveBuffer
        self.onRequest = onRequest
    }

    /// A server that answers everything in one way.
    package static func answering(_ status: Int, body: String = "") -> ServerScript {
        ServerScript(onRequest: { [.answer($0.streamID, status, body: body)] })
    }
}

/// A request as it came.
package struct ServedRequest: Sendable {
    /// The connection's number, from 1.
    package var connection: Int
    /// The request's number on its connection, from 1.
    package var number: Int
    package var streamID: Int32
    package var fields: [String: String]
    package var body: String

    package var apnsID: String { fields["apns-id"] ?? "" }
}

/// An answer as it was ordered.
package struct ServedAnswer: Sendable {
    package var status: Int
    package var body: String
}

/// One thing that the server does.
package enum ServerStep: Sendable {
    /// HTTP/2 that was withheld goes out.
    case release
    case announce(HTTP2Settings)
    case answer(Int32, Int, headers: [String: String] = [:], body: String = "")
    case reset(Int32, HTTP2ErrorCode)
    case goAway(lastStreamID: Int32, HTTP2ErrorCode = .noError, text: String = "")
    case ping(UInt64)
    /// A frame that nghttp2 would not send.
    case frame(Frame)
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
package struct ServerRecord: Sendable {
    /// TLS is there.
    package var isEstablished = false
    /// The common name of the certificate that the client has shown.
    package var clientCertificate: String?
    /// How often the client has asked by a PING.
    package var pings = 0
    /// Plaintext that came, in bytes.
    package var plaintextBytes = 0
    package var settingsCount = 0
    /// Streams whose HEADERS came, in order.
    package var opened: [Int32] = []
    /// Requests that came whole, in order.
    package var requests: [ServedRequest] = []
    /// What was answered, by stream; frames written by hand are not among it.
    package var answers: [Int32: ServedAnswer] = [:]
    /// Streams that were reset as not processed.
    package var refused: Set<Int32> = []
    /// The last stream that is processed, as a GOAWAY has said.
    package var lastStreamTaken = Int32.max
    /// The codes of the client's RST_STREAM frames.
    package var resets: [Int32: HTTP2ErrorCode] = [:]
    /// The client has said GOAWAY.
    package var saidGoodbye = false
    package var pingsAnswered: Set<UInt64> = []
    /// Streams that neither side has ended.
    package var open: Set<Int32> = []
    package var maximumOpen = 0
    /// The client has closed its side, or nothing is left of the connection.
    package var isClosedByClient = false
    package var isClosed = false
}
