internal import PushWire

/// The public keys of the provider tokens that the mock accepts.
struct Keyring: Sendable {
    private var keys: [String: VerifyingKey] = [:]

    mutating func trust(_ key: VerifyingKey, id: String) {
        keys[id] = key
    }

    /// A reader that verifies signatures with these keys.
    var reader: ProviderTokenReader {
        let keys = keys
        return ProviderTokenReader { keyID, signed, signature in
            guard let key = keys[keyID] else { return .unknownKey }
            return key.verify(signature: signature, over: signed) ? .verified : .wrong
        }
    }

    /// A reader that does not verify signatures.
    static let indifferent = ProviderTokenReader { _, _, _ in .notChecked }
}
