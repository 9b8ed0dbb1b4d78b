public import VirtualPhones

/// The configuration of a ``MockConsole``.
public struct ConsoleConfiguration: Sendable {
    /// The address to listen on. The API can change everything, so other addresses than loopback should have an
    /// ``accessToken``.
    public var listenAddress = "127.0.0.1"
    /// The port to listen on; 0 for any free port.
    public var port = 0
    /// The host names by which clients may call the console, besides `localhost` and all addresses. A request with another
    /// name is refused, so that no page can reach the console by another name (DNS rebinding).
    public var names: [String] = []
    /// A token that every request must have in `authorization: bearer`; `nil` if none is needed.
    public var accessToken: String?
    /// The maximum size of a request body, in bytes.
    public var bodyBytes = 8 << 20
    /// Whether a client may stop the mock.
    public var mayStop = true
    /// Opens sealed payloads for the service extensions of the phones; `nil` leaves them closed.
    public var envelopeOpener: PhoneEnvelopeOpener?
    /// The version to report in `/v1/setup`.
    public var version = ""
    /// A random text that names this run of the mock in `/v1/setup`, so that a client can tell it from another program on the
    /// same port.
    public var instance = ""
    /// What the console can do with the library, which it does not use itself.
    package var abilities = ConsoleAbilities()

    /// Creates a configuration with the defaults.
    public init() {}
}

/// Why a console cannot start.
public struct ConsoleStartError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case portInUse
        case cannotListen
    }

    package let code: Code
    /// What is wrong and what to do, in a sentence.
    public let description: String

    init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }
}
