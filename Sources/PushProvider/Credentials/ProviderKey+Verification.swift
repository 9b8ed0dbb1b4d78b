internal import PushWire

extension ProviderKey {
    /// Whether this key made a signature, raw or as DER.
    ///
    /// - Parameters:
    ///   - message: What was signed: of a provider token, the first two parts and the dot between them.
    ///   - signature: Its bytes.
    /// - Returns: `true` when the public half of this key verifies it.
    package func hasSigned(_ message: [UInt8], signature: [UInt8]) -> Bool {
        signingKey.verifyingKey.verify(signature: signature, over: message)
    }
}
