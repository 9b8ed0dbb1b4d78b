import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// Shows what would be sent.
struct DryRun {
    var target: Target
    var signer: Signer

    func show(_ notifications: [PushNotification], json: Bool) {
        for notification in notifications {
            Output.print(json ? line(notification).text : text(notification))
        }
    }

    private func text(_ notification: PushNotification) -> String {
        let limit = APNSLimit.payloadBytes(for: notification.effectivePushType)
        var lines = [
            "POST https://\(target.environment)/3/device/\(notification.deviceToken.hex)",
            signer.line,
        ]
        if let line = target.proxy.line { lines.insert("(\(line))", at: 1) }
        lines += notification.shownHeaders.map { "\($0.name): \($0.value)" }
        lines += ["", payloadText(notification), ""]
        lines.append("\(notification.payload.bytes.count) of \(limit) bytes. Nothing was sent.")
        return lines.joined(separator: "\n")
    }

    private func line(_ notification: PushNotification) -> JSONLine {
        let headers = notification.shownHeaders.map { ($0.name, PushJSONValue.string($0.value)) }
        return [
            "outcome": "dry_run", "token": .string(notification.deviceToken.hex),
            "endpoint": .string(target.environment.description),
            "proxy": target.proxy.proxy.map { .string("http://\($0)") },
            "headers": .object(Dictionary(headers, uniquingKeysWith: { first, _ in first })),
            "payload": .string(payloadText(notification)),
            "payload_bytes": .integer(notification.payload.bytes.count),
        ]
    }

    private func payloadText(_ notification: PushNotification) -> String {
        String(decoding: notification.payload.bytes, as: UTF8.self)
    }
}

extension PushNotification {
    /// The APNs headers as they would be sent, without the provider token, and with a new random id.
    var shownHeaders: [(name: String, value: String)] {
        var headers = [
            (APNSHeader.topic, effectiveTopic),
            (APNSHeader.pushType, effectivePushType.rawValue),
        ]
        if statesPriority { headers.append((APNSHeader.priority, effectivePriority.description)) }
        // A duration begins when the push is sent, so it is computed from now.
        let now = Int(Date().timeIntervalSince1970)
        if let value = effectiveExpiration.counted(from: now).headerValue {
            headers.append((APNSHeader.expiration, value))
        }
        if let collapseID { headers.append((APNSHeader.collapseID, collapseID)) }
        if let id { headers.append((APNSHeader.id, id.uuidString.lowercased())) }
        return headers
    }
}

extension Signer {
    /// The line that replaces the provider token, which is a secret.
    fileprivate var line: String {
        switch self {
        case .key(let key, _): "authorization: bearer (signed with \(key))"
        case .identity(let identity, _): "(\(identity) is presented in the TLS handshake)"
        }
    }
}

/// Shows a push as a curl command. It can be pasted into `sh`, in any folder.
struct CurlCommand {
    var target: Target
    var signer: Signer

    func show(_ notifications: [PushNotification]) {
        for notification in notifications { Output.print(text(notification)) }
    }

    private func text(_ notification: PushNotification) -> String {
        var parts = ["curl -sS -i --http2"]
        if let file = target.authoritiesFile {
            parts.append("--cacert \(ShellWord.quoted(AbsolutePath.of(file)))")
        }
        parts += target.proxy.curlFlags
        parts += signer.curlFlags
        parts += notification.shownHeaders.map { "-H \(ShellWord.quoted("\($0.name): \($0.value)"))" }
        parts.append("--data-binary \(ShellWord.quoted(String(decoding: notification.payload.bytes, as: UTF8.self)))")
        parts.append(ShellWord.quoted("https://\(target.environment)/3/device/\(notification.deviceToken.hex)"))
        return parts.joined(separator: " \\\n    ")
    }
}

extension Signer {
    /// The flags for curl. They contain no secret: the shell that runs the command reads it.
    fileprivate var curlFlags: [String] {
        switch self {
        case .key(_, let flags):
            let command = ([CommandLine.arguments.first ?? "pushsend", "jwt"] + flags).map(ShellWord.quoted)
            return ["-H \"authorization: bearer $(\(command.joined(separator: " ")))\""]
        case .identity(_, let reader): return reader?.curlFlags ?? []
        }
    }
}
