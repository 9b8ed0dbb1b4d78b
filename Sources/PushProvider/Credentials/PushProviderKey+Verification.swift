internal import PushWire

extension PushProviderKey {
    /// Whether this key made a signature, raw or in DER.
    ///
    /// - Parameters:
    ///   - message: The signed bytes. For a provider token, these are the first two parts and the dot between them.
    ///   - signature: The bytes of the signature.
    /// - Returns: `true` if the public half of this key verifies it.
    package func hasSigned(_ message: [UInt8], signature: [UInt8]) -> Bool {
        signingKey.verifyingKey.verify(signature: signature, over: message)
    }
}
