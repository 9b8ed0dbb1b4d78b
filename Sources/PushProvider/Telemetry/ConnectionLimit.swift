/// Why a connection takes no more requests for now.
enum ConnectionLimit: Equatable, Sendable {
    /// Nothing has shown yet that the server accepts the credentials: one request at a time.
    case authentication
    /// The server has asked for fewer streams (ENHANCE_YOUR_CALM).
    case calm
    /// All streams that the server and the configuration allow are open.
    case streams
    /// The data in flight fills the connection's flow-control window.
    case window
    /// The socket accepts no more bytes.
    case socket

    /// Whether more connections help: each has its own streams, window and network path.
    var isEndedByMoreConnections: Bool {
        switch self {
        case .streams, .window, .socket: true
        case .authentication, .calm: false
        }
    }
}
