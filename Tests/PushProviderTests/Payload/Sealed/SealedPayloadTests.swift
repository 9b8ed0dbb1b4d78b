import TestSupport
import Testing

@testable import PushJSON
@testable import PushLint
@testable import PushProvider

@Suite struct SealedPayloadTests {
    private static func key(_ id: String = "key-7", _ bytes: some Collection<UInt8> = 0..<32) throws
        -> PushPayload.SealingKey
    {
        try PushPayload.SealingKey(id: id, bytes: Array(bytes))
    }

    private static let secret = PushPayload.alert(title: "Ada", body: "See you at nine", custom: ["chat": 7])

    private func text(_ payload: PushPayload) -> String {
        String(decoding: payload.bytes, as: UTF8.self)
    }

    private func envelope(_ payload: PushPayload) throws -> String {
        guard case .string(let text)? = PushJSONValue(json: payload.bytes)?["sealed"] else {
            throw PushSealingError.notSealed
        }
        return text
    }

    private func payload(_ envelope: String) -> PushPayload {
        PushPayload(["aps": ["alert": "x", "mutable-content": 1], "sealed": .string(envelope)])
    }

    private func code(_ body: () throws -> Void) -> PushSealingError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? PushSealingError)?.code
        }
    }

    // MARK: Sealing

    @Test func `only the placeholder can be read, and the app gets everything back`() throws {
        let sealed = try Self.secret.sealed(
            with: Self.key(), placeholder: PushPayload.Alert(body: "New", sound: .default))
        #expect(!text(sealed).contains("Ada") && !text(sealed).contains("nine") && !text(sealed).contains("chat"))
        #expect(
            PushJSONValue(json: sealed.bytes)?["aps"] == [
                "alert": ["body": "New"], "mutable-content": 1, "sound": "default",
            ])
        #expect(try envelope(sealed).hasPrefix("1.key-7."))
        #expect(sealed.pushType == .alert)
        #expect(try sealed.opened(with: Self.key()) == Self.secret)
        #expect(try sealed.opened(with: Self.key("other"), Self.key()) == Self.secret)
        let notification = try PushNotification.sample { $0.payload = sealed }
        #expect(notification.findings().filter { $0.severity == .error }.isEmpty)
    }

    @Test func `each envelope has a nonce of its own`() throws {
        let envelopes = try (0..<50).map { _ in try envelope(Self.secret.sealed(with: Self.key())) }
        #expect(Set(envelopes.map { $0.prefix(24) }).count == 50)
    }

    /// Made with another implementation of AES-GCM: the key is 0 to 31, the nonce 100 to 111, `1.key-7` the associated data.
    @Test func `an envelope of another implementation opens`() throws {
        let box =
            "ZGVmZ2hpamtsbW5vMzm/FgrLbOUcAzONqBFIxzngZGXvFdFIhYLJLdvayj20iDTgInv1Yd+OBRPfIaKub3mi0F19QZIZazIN/mpBYqj5eLFi"
        #expect(
            text(try payload("1.key-7.\(box)").opened(with: Self.key()))
                == #"{"aps":{"alert":{"body":"See you at nine"}},"chat":7}"#)
    }

    @Test(arguments: [0, 1, 2, 3, 100, 2500])
    func `its length is known before anything is sealed`(extra: Int) throws {
        let payload = PushPayload.alert(body: String(repeating: "x", count: extra))
        let placeholder = PushPayload.Alert(title: "N\"ew", body: "é")
        let sealed = try payload.sealed(with: Self.key(), placeholder: placeholder)
        #expect(try payload.sealedByteCount(with: Self.key(), placeholder: placeholder) == sealed.bytes.count)
        #expect(sealed.sealedOverhead == sealed.bytes.count - payload.bytes.count)
        #expect(payload.sealedOverhead == nil)
    }

    // MARK: What cannot be opened

    @Test func `a wrong key, a wrong name and a changed envelope are distinguished as far as possible`() throws {
        let sealed = try envelope(Self.secret.sealed(with: Self.key()))
        let parts = sealed.split(separator: ".").map(String.init)
        #expect(code { _ = try payload(sealed).opened(with: Self.key("key-7", 1..<33)) } == .doesNotOpen)
        #expect(code { _ = try payload(sealed).opened(with: Self.key("key-8")) } == .unknownKeyID)
        #expect(code { _ = try payload(sealed).opened() } == .unknownKeyID)
        #expect(code { _ = try payload("2.\(parts[1]).\(parts[2])").opened(with: Self.key()) } == .unknownVersion)
        // The name is associated data: the same key under another name does not open it.
        #expect(code { _ = try payload("1.key-8.\(parts[2])").opened(with: Self.key("key-8")) } == .doesNotOpen)
        for noEnvelope in ["", "1", "1.key-7", "1.key-7.", "1..AAAA", "1.key-7.AA.A", "v 1.key-7.AAAA"] {
            #expect(code { _ = try payload(noEnvelope).opened(with: Self.key()) } == .notSealed, "\(noEnvelope)")
        }
        for noBox in ["1.key-7.AAAA", "1.key-7.!!!!", "1.key-7.\(parts[2].dropLast(4))"] {
            #expect(code { _ = try payload(noBox).opened(with: Self.key()) } == .doesNotOpen, "\(noBox)")
        }
        #expect(code { _ = try Self.secret.opened(with: Self.key()) } == .notSealed)
        #expect(code { _ = try PushPayload(json: "no JSON").opened(with: Self.key()) } == .notSealed)
    }

    @Test func `one letter that is changed anywhere is noticed`() throws {
        let sealed = try envelope(Self.secret.sealed(with: Self.key()))
        let letters = Array(sealed)
        // The last letter before the filling has bits that mean nothing.
        for index in "1.key-7.".count..<letters.count - 4 {
            var changed = letters
            changed[index] = changed[index] == "A" ? "B" : "A"
            #expect(
                code { _ = try payload(String(changed)).opened(with: Self.key()) } == .doesNotOpen, "letter \(index)")
        }
    }

    // MARK: What cannot be sealed

    @Test func `what no extension would open is not sealed`() throws {
        #expect(code { _ = try PushPayload.widgets.sealed(with: Self.key()) } == .cannotBeSealed)
        #expect(code { _ = try PushPayload(json: "no JSON").sealed(with: Self.key()) } == .cannotBeSealed)
        #expect(
            code { _ = try Self.secret.sealed(with: Self.key(), placeholder: PushPayload.Alert(badge: 1)) }
                == .badPlaceholder)
        #expect(
            code { _ = try Self.secret.sealed(with: Self.key(), placeholder: PushPayload.Alert(body: "B", badge: -1)) }
                == .badPlaceholder)
        #expect(code { _ = try PushPayload.widgets.sealedByteCount(with: Self.key()) } == .cannotBeSealed)
    }

    // MARK: Keys

    @Test func `a key has a plain name and 256 bits`() throws {
        for name in ["", "a.b", "a b", "é", String(repeating: "x", count: 33)] {
            #expect(code { _ = try Self.key(name) } == .badKeyID, "\(name)")
        }
        #expect(code { _ = try Self.key("k", 0..<31) } == .badKey)
        #expect(code { _ = try PushPayload.SealingKey(id: "k", base64: "not base64!") } == .badKey)
        #expect(code { _ = try PushPayload.SealingKey(id: "k", base64: "AAAA") } == .badKey)
        let text = " AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"
        #expect(try PushPayload.SealingKey(id: "key-7", base64: text) == Self.key())
        #expect(try Self.key("a") != Self.key("b"))
        #expect(try Self.key("a") != Self.key("a", 1..<33))
    }

    @Test func `a key is never shown`() throws {
        let key = try Self.key()
        var dumped = ""
        dump(key, to: &dumped)
        for shown in ["\(key)", String(reflecting: key), String(describing: [key]), dumped] {
            #expect(shown.contains("key-7"))
            #expect(!shown.contains("30") && !shown.contains("1e") && !shown.contains("SecretBuffer"), "\(shown)")
        }
    }
}
