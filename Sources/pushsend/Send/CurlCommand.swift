import PushProvider

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
        case .identity(_, let flags): return flags
        }
    }
}
