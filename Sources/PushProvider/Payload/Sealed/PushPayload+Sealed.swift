internal import PushJSON

extension PushPayload {
    /// Puts all of this payload, which nobody but the app is to read, into an envelope beside a placeholder.
    ///
    /// Apple and everybody on the way see the placeholder alone. `mutable-content` is set: the app's service extension opens
    /// the envelope, under the key `sealed`, and shows what is in it; the page on rich notifications has the lines. Where the
    /// extension does not come to it, the placeholder is shown. Each call gives other bytes, as each has a nonce of its own.
    ///
    /// - Parameters:
    ///   - key: What the app has too.
    ///   - placeholder: What is seen and heard without the extension. Sound, badge and group can stand here, or inside.
    /// - Returns: The payload with the envelope, for push type `alert`. It is longer: see ``sealedByteCount(with:placeholder:)``.
    /// - Throws: ``SealingError``.
    public func sealed(
        with key: SealingKey, placeholder: PushAlert = PushAlert(body: "A new message")
    ) throws(SealingError) -> PushPayload {
        try checkSealing(placeholder)
        return try Self.wrapped(SealedEnvelope(bytes, with: key).text, placeholder)
    }

    /// How many bytes the payload has once it is sealed, against the 4096 that it may have.
    ///
    /// - Parameters:
    ///   - key: As in ``sealed(with:placeholder:)``; its name counts.
    ///   - placeholder: As in ``sealed(with:placeholder:)``.
    /// - Returns: The length, without anything being encrypted.
    /// - Throws: ``SealingError`` where it could not be sealed.
    public func sealedByteCount(
        with key: SealingKey, placeholder: PushAlert = PushAlert(body: "A new message")
    ) throws(SealingError) -> Int {
        try checkSealing(placeholder)
        return try Self.wrapped("", placeholder).bytes.count
            + SealedEnvelope.byteCount(ofPlaintext: bytes.count, key)
    }

    /// Of a sealed payload: how many of its bytes are there for the sealing, base64, key id, nonce, tag and placeholder
    /// included; `nil` where nothing is sealed.
    public var sealedOverhead: Int? {
        envelope?.plaintextByteCount.map { bytes.count - $0 }
    }

    /// Takes the private payload out again: what the service extension does, for your tests.
    ///
    /// - Parameter keys: Those that the app has; the one with the name in the envelope is used.
    /// - Returns: The payload that was sealed, byte for byte.
    /// - Throws: ``SealingError``: nothing sealed, another version, no key of that name, or a key that does not open it.
    public func opened(with keys: SealingKey...) throws(SealingError) -> PushPayload {
        guard let envelope else { throw .notSealed }
        return PushPayload(json: try envelope.opened(with: keys))
    }

    private var envelope: SealedEnvelope? {
        guard case .string(let text)? = JSONValue(json: bytes)?[SealedEnvelope.name] else { return nil }
        return SealedEnvelope(text)
    }

    private func checkSealing(_ placeholder: PushAlert) throws(SealingError) {
        if reading.obstacle != nil { throw .cannotBeSealed("it is no JSON that can be sent") }
        if let pushType, pushType != .alert { throw .cannotBeSealed("it was built for push type \(pushType)") }
        guard placeholder.isVisible else { throw .silentPlaceholder }
    }

    private static func wrapped(_ envelope: String, _ placeholder: PushAlert) throws(SealingError) -> PushPayload {
        var placeholder = placeholder
        placeholder.mutableContent = true
        do throws(PayloadError) {
            return try .alert(placeholder, custom: [SealedEnvelope.name: .string(envelope)])
        } catch {
            throw .badPlaceholder(error)
        }
    }
}
