/// Opens sealed payloads for service extensions. The phones do not contain cryptography: the program that runs them provides it.
public struct PhoneEnvelopeOpener: Sendable {
    /// Why an envelope does not open, in a sentence.
    public struct Problem: Error, Sendable, Hashable {
        /// The sentence.
        public var text: String

        /// Creates a problem.
        public init(_ text: String) {
            self.text = text
        }
    }

    private let body: @Sendable (_ envelope: String, _ keyFile: String) -> Result<[UInt8], Problem>

    /// Creates an opener.
    ///
    /// - Parameter body: Returns the payload in an envelope. It gets the text of the envelope and the path of the key.
    public init(_ body: @escaping @Sendable (_ envelope: String, _ keyFile: String) -> Result<[UInt8], Problem>) {
        self.body = body
    }

    func open(_ envelope: String, with keyFile: String) throws(Problem) -> [UInt8] {
        try body(envelope, keyFile).get()
    }
}
