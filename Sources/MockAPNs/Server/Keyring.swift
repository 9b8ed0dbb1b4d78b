internal import PushWire

/// The public keys of those whose provider tokens the mock trusts.
struct Keyring: Sendable {
    private var keys: [String: VerifyingKey] = [:]

    mutating func trust(_ key: VerifyingKey, id: String) {
        keys[id] = key
    }

    /// A reader that holds signatures against these keys.
    var reader: ProviderTokenReader {
        let keys = keys
        return ProviderTokenReader { keyID, signed, signature in
            guard let key = keys[keyID] else { return .unknownKey }
            return key.verify(signature: signature, over: signed) ? .verified : .wrong
        }
    }

    /// A reader that looks at no signature.
    static let indifferent = ProviderTokenReader { _, _, _ in .notChecked }
}
