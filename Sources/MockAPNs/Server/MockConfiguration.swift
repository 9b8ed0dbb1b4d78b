/// The configuration of a mock. The defaults suit a test in the same process: any free port, nothing on disk.
public struct MockConfiguration: Sendable {
    /// The address to listen on.
    public var listenAddress = "127.0.0.1"
    /// The port to listen on; 0 for any free port.
    public var port = 0
    /// The port that manages the broadcast channels of the sandbox; 0 for any free port, `nil` for none. Apple's is 2195.
    public var sandboxChannelsPort: Int?
    /// The port that manages the broadcast channels of production; 0 for any free port, `nil` for none. Apple's is 2196.
    public var productionChannelsPort: Int?
    /// Which of Apple's two services the mock simulates.
    public var environment = MockEnvironment.sandbox
    /// Whether the mock as a proxy relays connections to other hosts than Apple's. Every client of the mock can then connect
    /// wherever this machine can, so the mock must listen on a loopback address; see ``MockServer/start(_:credentials:logger:)``.
    public var relaysOtherHosts = false
    /// Whether provider tokens of any signer are accepted. By default, only those of a key that the mock trusts are. Key,
    /// team and signature are then not checked; form, algorithm and age are.
    public var acceptsAnyKey = false
    /// What the mock does with device tokens that are not registered.
    public var unknownTokens = MockUnknownTokenPolicy.accept
    /// Whether device tokens with a documented beginning get the answer of that beginning.
    /// `docs/mock-api.md#magic-device-tokens` lists them.
    public var acceptsMagicTokens = true
    /// The behaviour of the mock where the behaviour of APNs is uncertain.
    public var variants = MockVariants()
    /// The simulated network latency, as a round trip time: everything that the mock sends is delayed by it.
    public var roundTrip: Duration = .zero
    /// The maximum number of requests in the log. Beyond it, the oldest are removed.
    public var logCount = 10_000
    /// The maximum size of the requests in the log, in bytes. Beyond it, the oldest are removed.
    public var logBytes = 64 << 20
    /// The maximum size of a request's body in the log, in bytes. The rest is counted and dropped.
    public var bodyBytes = 64 * 1024

    /// The limits for clients. A client that exceeds one of them loses its connection.
    public var limits = MockLimits()

    /// The maximum number of connections with a record. Beyond it, the oldest records are removed.
    public var recordCount = 1000
    /// The maximum number of streams, and of resets, in each record. Beyond it, the oldest are removed.
    public var recordLength = 1000
    /// The seed for the random choices of faults. The same seed gives the same choices.
    public var seed: UInt64 = 1

    /// Records the whole run, for the result at its end. Mocks can share one.
    package var ledger: RunLedger?
    /// The namespace of the mock, for the ledger; `nil` for the mock from the start.
    package var namespace: String?

    /// The texts of remedies in the log and in what clients receive. Requests in the log have the ``MockRemedy`` itself.
    package var remedyText: @Sendable (MockRemedy) -> String = { $0.description }

    /// The defaults.
    public init() {}

    package var settings: MockSettings {
        get {
            MockSettings(
                unknownTokens: unknownTokens, acceptsMagicTokens: acceptsMagicTokens, variants: variants, seed: seed)
        }
        set {
            unknownTokens = newValue.unknownTokens
            acceptsMagicTokens = newValue.acceptsMagicTokens
            variants = newValue.variants
            seed = newValue.seed
        }
    }

    /// Whether only programs on this machine can connect.
    package var listensOnLoopback: Bool {
        listenAddress.lowercased() == "localhost" || listenAddress == "::1" || listenAddress.hasPrefix("127.")
    }
}

/// Why a mock could not start.
public struct MockStartError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        let name: String
        package static let portInUse = Code(name: "portInUse")
        /// The address is not an address of this machine, or is not allowed.
        package static let cannotListen = Code(name: "cannotListen")
        package static let unusableKey = Code(name: "unusableKey")
        /// It would relay connections for clients on other machines.
        package static let openProxy = Code(name: "openProxy")
        /// The server's certificate cannot be used.
        package static let unusableCertificate = Code(name: "unusableCertificate")
    }

    package let code: Code
    /// A sentence that says what is wrong and what to do.
    public let description: String
    /// The port that another program uses; `nil` for other errors.
    package var port: Int?

    init(_ code: Code, _ description: String, port: Int? = nil) {
        (self.code, self.description, self.port) = (code, description, port)
    }
}
