internal import APNSVocabulary
import PushCommandLine
import PushPlatform
import PushProvider

enum SettingValue {
    /// Returns what is wrong with a value, and what to do about it; `nil` for a valid value.
    static func mistake(in text: String, for name: SettingName) -> String? {
        if text.isEmpty, ![.proxy, .topic].contains(name) {
            return "\"\(name.rawValue)\" is empty: write a value, or remove the line."
        }
        let shown = text.printable
        switch name {
        case .environment:
            return EnvironmentArgument(argument: text) == nil
                ? "\"environment\" is \"\(shown)\": use sandbox or production." : nil
        case .endpoint:
            return EndpointArgument(argument: text) == nil
                ? "\"endpoint\" is \"\(shown)\", which isn't HOST:PORT. \(EndpointArgument.advice(for: text))" : nil
        case .port:
            return ["443", "2197"].contains(text)
                ? nil : "\"port\" is \"\(shown)\": Apple listens on 443 and 2197. For your own server use \"endpoint\"."
        case .proxy: return proxyMistake(text)
        case .keyID, .teamID:
            return PushProviderKey.problem(in: text).map {
                "\"\(name.rawValue)\" must have ten letters and digits; this one \($0)."
            }
        case .topic: return TopicChecks.mistake(in: text).map { "\"topic\": \($0.problem) \($0.advice)" }
        case .cacert, .key, .p12, .identity, .cert, .certKey, .passphraseFile, .passphraseCommand:
            return text.unicodeScalars.contains { $0.value < 0x20 }
                ? "\"\(name.rawValue)\" has a line break or another control character." : nil
        }
    }

    private static func proxyMistake(_ text: String) -> String? {
        guard !text.isEmpty else { return nil }
        do {
            let proxy = try PushProxy(url: text, named: "\"proxy\"")
            return proxy.hasCredentials
                ? "\"proxy\" has a password, which doesn't belong in this file: set PUSHSEND_PROXY instead." : nil
        } catch {
            return error.description
        }
    }

    /// Returns what is wrong with the name of a profile or a device; `nil` for a valid name.
    static func mistake(inName name: String, of kind: String) -> String? {
        guard !NameForm.isValid(name) else { return nil }
        return """
            "\(name.printable)" isn't a \(kind == "profile" ? "name for a profile" : kind): use up to 64 letters, \
            digits, hyphens, dots and underscores.
            """
    }
}

extension SettingValue {
    static func nickname(_ text: String) throws -> String {
        if let mistake = mistake(inNickname: text) { throw CommandFailure.usage(mistake) }
        return text
    }

    /// Returns what is wrong with a nickname; `nil` for a valid one.
    static func mistake(inNickname text: String) -> String? {
        if let mistake = mistake(inName: text, of: "nickname") { return mistake }
        guard (try? PastedDeviceToken(text)) != nil else { return nil }
        return "\"\(text.printable)\" could be a device token: a nickname needs a letter from g to z."
    }

    static func profileName(_ text: String) throws -> String {
        if let mistake = mistake(inName: text, of: "profile") { throw CommandFailure.usage(mistake) }
        return text
    }
}

/// The keys of a configuration file, for advice about wrong ones.
enum SettingKey {
    private static let others = [
        "bundle_id": "topic", "bundle": "topic", "apns_topic": "topic", "app": "topic", "env": "environment",
        "mode": "environment", "host": "endpoint", "server": "endpoint", "ca": "cacert", "ca_file": "cacert",
        "p8": "key", "key_file": "key", "auth_key": "key", "kid": "key_id", "team": "team_id", "issuer": "team_id",
        "certificate": "cert", "pfx": "p12", "pkcs12": "p12", "token": "devices", "tokens": "devices",
        "device": "devices", "nicknames": "devices", "apps": "profiles", "default": "profile",
    ]

    private static let secrets = ["passphrase", "password", "pass", "keypem"]

    /// Returns what to do about an unknown key. Its value is not shown: it may be a secret.
    static func remedy(for key: String, isTop: Bool) -> String {
        let shown = String(key.prefix(40)).printable
        let folded = NearestName.folded(key)
        if secrets.contains(folded) {
            return """
                Secrets don't belong in this file. Instead of "\(shown)" use "passphrase_file" or "passphrase_command", or \
                leave it out to be asked.
                """
        }
        let ofTheTop = ["profile", "profiles"]
        if !isTop, ofTheTop.contains(others[folded] ?? folded) {
            return "\"\(shown)\" belongs at the beginning of a line, not into a profile."
        }
        let keys = SettingName.allCases.map(\.rawValue) + ["devices"] + (isTop ? ofTheTop : [])
        let (problem, remedy) = NearestName.unknownKey(key, among: keys, others: others)
        return "\(problem) \(remedy)"
    }
}
