import Crypto
import Foundation

// docs/service.md#webhooks
/// Whether a message of a webhook is from the service that has the secret, and new.
func isValid(id: String, timestamp: String, signatures: String, body: Data, secret: String) -> Bool {
    guard let seconds = Double(timestamp), abs(Date().timeIntervalSince1970 - seconds) <= 300,
        let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))), key.count >= 24
    else { return false }
    let signed = Data("\(id).\(timestamp).".utf8) + body
    return signatures.split(separator: " ").contains { signature in
        guard signature.hasPrefix("v1,"), let code = Data(base64Encoded: String(signature.dropFirst(3))) else {
            return false
        }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: SymmetricKey(data: key))
    }
}

@main
struct CheckWebhook {
    struct Failure: Error {}

    static func main() throws {
        let right = SymmetricKey(size: .bits256)
        let body = Data(#"{"type":"notification.accepted"}"#.utf8)
        func check(
            _ isExpected: Bool, id: String = "msg_1", age: TimeInterval = 0, prefix: String = "",
            key: SymmetricKey = right
        ) throws {
            let secret = "whsec_" + key.withUnsafeBytes { Data($0) }.base64EncodedString()
            let timestamp = String(Int(Date().timeIntervalSince1970 - age))
            let code = HMAC<SHA256>.authenticationCode(for: Data("msg_1.\(timestamp).".utf8) + body, using: key)
            let signatures = "v1,AAAA \(prefix)v1,\(Data(code).base64EncodedString())"
            let isTaken = isValid(id: id, timestamp: timestamp, signatures: signatures, body: body, secret: secret)
            guard isTaken == isExpected else { throw Failure() }
        }
        try check(true)
        try check(false, id: "msg_2")
        try check(false, age: 400)
        try check(false, prefix: "x")
        try check(false, key: SymmetricKey(data: Data()))  // Everybody has an empty key.
        print("All checks passed.")
    }
}
