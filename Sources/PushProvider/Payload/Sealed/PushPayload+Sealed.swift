internal import PushJSON
internal import PushPlatform

extension PushPayload {
    /// Returns this payload encrypted in an envelope, beside a placeholder. Only the app can read it.
    ///
    /// Apple and all others on the network see only the placeholder. `mutable-content` is set, so the app's service
    /// extension opens the envelope, under the key `sealed`, and shows its contents; the page on rich notifications has
    /// the code. If the extension does not finish, the device shows the placeholder. Each call returns different bytes,
    /// because each uses a new nonce.
    ///
    /// - Parameters:
    ///   - key: The key that the app has too.
    ///   - placeholder: The alert without the extension. Sound, badge and group can be here or in the payload.
    /// - Returns: The payload with the envelope, for push type `alert`. It is longer: see
    ///   ``sealedByteCount(with:placeholder:)``.
    /// - Throws: ``PushSealingError``.
    public func sealed(
        with key: PushPayload.SealingKey, placeholder: PushPayload.Alert = PushPayload.Alert(body: "A new message")
    ) throws(PushSealingError) -> PushPayload {
        try checkSealing(placeholder)
        return try Self.wrapped(SealedEnvelope(bytes, with: key).text, placeholder)
    }

    /// Returns the size of the sealed payload, in bytes. At most 4096 bytes can be sent.
    ///
    /// - Parameters:
    ///   - key: The key, as in ``sealed(with:placeholder:)``. The length of its name counts.
    ///   - placeholder: The placeholder, as in ``sealed(with:placeholder:)``.
    /// - Returns: The number of bytes. Nothing is encrypted.
    /// - Throws: ``PushSealingError`` if the payload cannot be sealed.
    public func sealedByteCount(
        with key: PushPayload.SealingKey, placeholder: PushPayload.Alert = PushPayload.Alert(body: "A new message")
    ) throws(PushSealingError) -> Int {
        try checkSealing(placeholder)
        return try Self.wrapped("", placeholder).bytes.count
            + SealedEnvelope.byteCount(ofPlaintext: bytes.count, key)
    }

    /// The number of bytes that sealing has added to a sealed payload, with base64, key id, nonce, tag and placeholder;
    /// `nil` if the payload is not sealed.
    public var sealedOverhead: Int? {
        envelope?.plaintextByteCount.map { bytes.count - $0 }
    }

    /// Opens a sealed payload like the service extension, for your tests.
    ///
    /// - Parameter keys: The keys of the app. The key with the name in the envelope is used.
    /// - Returns: The payload that was sealed, with the same bytes.
    /// - Throws: ``PushSealingError`` if the payload is not sealed, has another version, no key has the name, or the key
    ///   does not open it.
    public func opened(with keys: PushPayload.SealingKey...) throws(PushSealingError) -> PushPayload {
        guard let envelope else { throw .notSealed }
        return PushPayload(json: try envelope.opened(with: keys))
    }

    private var envelope: SealedEnvelope? {
        guard case .string(let text)? = PushJSONValue(json: bytes)?[SealedEnvelope.name] else { return nil }
        return SealedEnvelope(text)
    }

    private func checkSealing(_ placeholder: PushPayload.Alert) throws(PushSealingError) {
        if reading.problem != nil { throw .cannotBeSealed("it isn't JSON that can be sent") }
        if let pushType, pushType != .alert { throw .cannotBeSealed("it was built for push type \(pushType)") }
        guard placeholder.isVisible else { throw .silentPlaceholder }
    }

    private static func wrapped(_ envelope: String, _ placeholder: PushPayload.Alert) throws(PushSealingError)
        -> PushPayload
    {
        var placeholder = placeholder
        placeholder.mutableContent = true
        return try rethrowing(
            try .alert(placeholder, custom: [SealedEnvelope.name: .string(envelope)]),
            as: PushSealingError.badPlaceholder)
    }
}
