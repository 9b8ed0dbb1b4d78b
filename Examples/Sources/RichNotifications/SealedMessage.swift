import Crypto
import Foundation
import MockAPNs
import MockRun
import PushProvider

extension RichNotifications {
    /// Sealed here, and opened by the lines that the app's service extension has.
    func sealedMessage() async throws {
        let keyText = Data((0..<32).map { UInt8($0) }).base64EncodedString()

        let key = try PushPayload.SealingKey(id: "2026-11", base64: keyText)
        let message = PushPayload.alert(title: "Ada", body: "See you at nine.", custom: ["chat": 7])
        let payload = try message.sealed(
            with: key, placeholder: PushPayload.Alert(body: "A new message", sound: .default))
        try await client.send(PushNotification(to: deviceToken, topic: "com.example.app", payload: payload))

        let arrival = try mock.taken()
        try check(!arrival.payload.contains("nine"), "nobody on the way reads it")
        struct Envelope: Decodable { var sealed: String }
        let envelope = try JSONDecoder().decode(Envelope.self, from: Data(arrival.request.body)).sealed
        let keys = ["2026-11": SymmetricKey(data: Data(base64Encoded: keyText) ?? Data())]
        try check(Array(open(envelope, with: keys)) == message.bytes, "the app reads all of it")
        try refused("a wrong key") { try open(envelope, with: ["2026-11": SymmetricKey(size: .bits256)]) }
        try refused("a key of another name") { try open(envelope, with: ["2025-12": SymmetricKey(size: .bits256)]) }
        try refused("another name for the same key") {
            try open(
                "1.2025-12.\(envelope.dropFirst("1.2026-11.".count))",
                with: ["2025-12": SymmetricKey(data: Data((0..<32).map { UInt8($0) }))])
        }
        try refused("another version") { try open("2\(envelope.dropFirst())", with: keys) }
        try refused("a letter that was changed") {
            try open("\(envelope.dropLast(9))AAAAA\(envelope.suffix(4))", with: keys)
        }
        try openedByTheLibrary(payload, key, message)
        try sealedElsewhere(key, keys)
    }

    private func openedByTheLibrary(_ payload: PushPayload, _ key: PushPayload.SealingKey, _ message: PushPayload)
        throws
    {
        try check(payload.opened(with: key) == message, "the library opens it too")
        print("\(message.bytes.count) bytes, \(try message.sealedByteCount(with: key)) when they are sealed")
    }

    /// And the other way round: what CryptoKit has sealed, the library opens.
    private func sealedElsewhere(_ key: PushPayload.SealingKey, _ keys: [String: SymmetricKey]) throws {
        guard let symmetric = keys[key.id] else { return }
        let plain = Data(#"{"aps":{"alert":"Hello"}}"#.utf8)
        let box = try AES.GCM.seal(plain, using: symmetric, authenticating: Data("1.\(key.id)".utf8))
        let text = "1.\(key.id).\((box.combined ?? Data()).base64EncodedString())"
        let payload = PushPayload(["aps": ["alert": "A new message"], "sealed": .string(text)])
        try check(payload.opened(with: key).bytes == Array(plain), "the library opens what CryptoKit has sealed")
    }

    private func refused(_ what: String, _ body: () throws -> Data) throws {
        let opened = try? body()
        try check(opened == nil, "\(what) opens nothing")
    }
}

// What the app's service extension has; `import Crypto` is `import CryptoKit` there.
func open(_ envelope: String, with keys: [String: SymmetricKey]) throws -> Data {
    let parts = envelope.split(separator: ".").map(String.init)
    guard parts.count == 3, parts[0] == "1", let key = keys[parts[1]], let box = Data(base64Encoded: parts[2])
    else { throw CocoaError(.coderReadCorrupt) }
    return try AES.GCM.open(AES.GCM.SealedBox(combined: box), using: key, authenticating: Data("1.\(parts[1])".utf8))
}
