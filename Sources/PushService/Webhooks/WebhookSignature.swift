internal import PushPlatform
internal import PushWire

/// Signs messages as Standard Webhooks defines it: `webhook-id`, `webhook-timestamp` and `webhook-signature`.
enum WebhookSignature {
    /// The value of `webhook-signature`: a signature for each secret, so that a receiver can check with either.
    ///
    /// - Parameters:
    ///   - id: The value of `webhook-id`. It is the same in each repetition.
    ///   - seconds: The value of `webhook-timestamp`, seconds since 1970. It is that of this attempt.
    ///   - body: The body.
    ///   - secrets: The secrets.
    /// - Returns: The value: the signatures, with spaces between them.
    static func header(id: String, seconds: Int, body: [UInt8], secrets: [WebhookSecret]) -> String {
        let signed = Array("\(id).\(seconds).".utf8) + body
        return secrets.compactMap { secret in
            MessageCode.sha256(of: signed, key: secret.bytes).map { "v1,\(Data($0).base64EncodedString())" }
        }.joined(separator: " ")
    }
}
