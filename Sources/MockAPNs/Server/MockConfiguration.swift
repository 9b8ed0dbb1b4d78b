/// How a mock is set up. The defaults are those of a test in the same process: any free port, nothing on disk.
public struct MockConfiguration: Sendable {
    /// The address to listen on.
    public var listenAddress = "127.0.0.1"
    /// The port to listen on; 0 for any that is free.
    public var port = 0
    /// Which of Apple's two services it stands in for.
    public var environment = World.Environment.sandbox
    /// Whose provider tokens are accepted.
    public var authentication = World.Authentication.trustedKeys
    /// What becomes of device tokens that are not registered.
    public var unknownTokens = World.UnknownTokens.accept
    /// How it behaves where the real service is not known for sure.
    public var variants = MockVariants()
    /// How many streams a connection may have open before its first authenticated request. At Apple's: 1.
    public var streamsBeforeAuthentication: UInt32 = 1
    /// How many streams a connection may have open after it. At Apple's: 1000.
    public var streamsAfterAuthentication: UInt32 = 1000
    /// How far away the mock is: whatever it sends arrives so much later. What clients reach on a distant network shows here.
    public var roundTrip: Duration = .zero
    /// How many requests the log keeps.
    public var logCount = 10_000
    /// How many bytes of requests the log keeps.
    public var logBytes = 64 << 20
    /// How much of a request's body is kept, in bytes; the rest is counted and dropped.
    public var bodyBytes = 64 * 1024

    /// What clients may do before they are stopped.
    public var limits = MockLimits()

    /// How many connections have a record; the oldest give way.
    public var recordCount = 1000
    /// How many streams and resets each record keeps; the oldest give way.
    public var recordLength = 1000
    /// What decides where a fault leaves something to chance: the same seed decides in the same way.
    public var seed: UInt64 = 1

    /// The defaults.
    public init() {}
}

/// Why a mock could not start.
public struct MockStartError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why; grows as more is told apart.
    public struct Code: Hashable, Sendable {
        let word: String
        /// Something else listens on the port.
        public static let portInUse = Code(word: "portInUse")
        /// The address is not one of this machine, or may not be used.
        public static let cannotListen = Code(word: "cannotListen")
        /// A trusted key cannot be used.
        public static let unusableKey = Code(word: "unusableKey")
        /// The server's certificate cannot be used.
        public static let unusableCertificate = Code(word: "unusableCertificate")
    }

    /// Why.
    public let code: Code
    /// What is wrong and what to do, in a sentence.
    public let description: String
}
