internal import PushWire

/// The public keys of the provider tokens that the mock accepts.
struct Keyring: Sendable {
    private var keys: [String: VerifyingKey] = [:]
    private var suspended: [String: VerifyingKey] = [:]

    func key(_ id: String) -> VerifyingKey? { keys[id] ?? suspended[id] }

    mutating func trust(_ key: VerifyingKey, id: String) {
        suspended[id] = nil
        keys[id] = key
    }

    mutating func suspend(_ id: String) {
        suspended[id] = keys.removeValue(forKey: id)
    }

    mutating func resume(_ id: String) {
        if let key = suspended.removeValue(forKey: id) { keys[id] = key }
    }

    mutating func revoke(_ id: String) {
        keys[id] = nil
        suspended[id] = nil
    }

    /// A reader that verifies signatures with these keys.
    var reader: ProviderTokenReader {
        let keys = keys
        return ProviderTokenReader { header, signed, signature in
            guard let key = keys[header.kid] else { return .unknownKey }
            // A token with a third algorithm is refused by its name.
            let form: VerifyingKey.SignatureForm = header.alg == ProviderTokenHeader.es512 ? .padded512 : .rawOrDER
            if key.verify(signature: signature, over: signed, form: form) { return .verified }
            return key.madeInAnyForm(signature, over: signed) ? .otherAlgorithm : .wrong
        }
    }

    /// A reader that does not verify signatures.
    static let indifferent = ProviderTokenReader { _, _, _ in .notChecked }
}
