internal import PushPlatform
package import PushQueue

/// Where the outcomes of an app are posted to.
package struct WebhookSettings: Sendable, Hashable {
    /// The address, https; http only for a host of ``allowedHosts``.
    package var url: String
    /// The secrets that sign: one, or two while receivers change from one to the other.
    package var secrets: [WebhookSecret]
    package var outcomes = Set(QueueJobOutcome.Kind.allCases)
    /// Hosts that may have http, and addresses that are not public.
    package var allowedHosts: Set<String> = []
    /// How long a failing event is posted again before it is given up.
    package var giveUpAfter: Duration = .seconds(86_400)
    /// How long the receiver may take for an answer.
    package var timeout: Duration = .seconds(10)
    package var requestsAtOnce = 8

    package init(url: String, secrets: [WebhookSecret]) {
        (self.url, self.secrets) = (url, secrets)
    }

    /// Whether a text is an absolute URL of a webhook, without a user or a fragment.
    package static func isAddress(_ text: String) -> Bool { WebhookURL(text) != nil }

    /// Reads an entry of ``allowedHosts``: a name or an address without a port. It gets the form that hosts of webhooks have; `nil` for any
    /// other text, which no webhook could match.
    package static func host(_ text: String) -> String? {
        let host = HostAndPort.isIPv6(text[...]) ? "[\(text)]" : text
        guard let parts = try? HostAndPort(host[...]), parts.port == nil, let url = WebhookURL("https://\(host)"),
            url.path == "/"
        else { return nil }
        return url.host
    }

    /// What is wrong with the settings, and how to correct it, in a sentence; `nil` if the settings are valid.
    package var problem: String? {
        if secrets.isEmpty || secrets.count > 2 {
            return "A webhook has one secret, or two during a change of the secret."
        }
        guard let address = WebhookURL(url) else {
            return "\(url.debugDescription) isn't an address such as https://example.com/hook."
        }
        if !address.isSecure, !allowedHosts.contains(address.host) {
            return
                "The webhook \(address.shown) needs https. To permit http, add \"\(address.host)\" to \"allow\" under \"webhooks\"."
        }
        return nil
    }
}

/// Why the service cannot post to a webhook.
package struct WebhookRefusal: Error, Sendable, Hashable {
    package let reason: String
    /// Whether only another configuration helps. Otherwise, the host cannot be looked up now.
    package private(set) var isPermanent = true
}

extension WebhookSettings {
    /// Looks up the host as a post does, and judges its addresses in the same way. It connects to nothing.
    package func checkAddress() async throws(WebhookRefusal) {
        guard let url = WebhookURL(url) else { throw WebhookRefusal(reason: problem ?? "") }
        do {
            _ = try await WebhookResolver.addresses(of: url, mayBePrivate: allowedHosts.contains(url.host))
            try WebhookResolver.checkSpelling(of: url)
        } catch let refusal as WebhookRefusal {
            throw refusal
        } catch {
            throw WebhookRefusal(reason: "\(error)", isPermanent: false)
        }
    }
}

/// A secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64.
package struct WebhookSecret: Sendable, Hashable, CustomStringConvertible {
    let bytes: [UInt8]

    package init?(_ text: String) {
        let prefix = "whsec_"
        guard text.hasPrefix(prefix), let data = Data(base64Encoded: String(text.dropFirst(prefix.count))),
            (24...64).contains(data.count)
        else { return nil }
        bytes = Array(data)
    }

    /// It never shows the secret.
    package var description: String { "a webhook secret" }
}

struct WebhookURL: Hashable {
    let isSecure: Bool
    /// In lower case and without a dot at the end; an IPv6 address without brackets.
    let host: String
    let port: Int
    /// Path and query, from the slash on.
    let path: String

    /// Reads an address; `nil` if it is not absolute, or has a user or a fragment.
    init?(_ text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let scheme = text.lowercased().hasPrefix("https://") ? "https://" : "http://"
        guard text.lowercased().hasPrefix(scheme) else { return nil }
        isSecure = scheme == "https://"
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !text.contains("#"), !text.contains("\\"), !authority.contains("@"), !authority.isEmpty else {
            return nil
        }
        let tail = rest.dropFirst(authority.count)
        path = tail.hasPrefix("/") ? String(tail) : "/" + tail
        guard let parts = try? HostAndPort(authority), !parts.isBracketed || HostAndPort.isIPv6(parts.host) else {
            return nil
        }
        var name = parts.host
        if parts.port == nil {
            port = isSecure ? 443 : 80
        } else {
            guard let given = parts.portNumber, given > 0 else { return nil }
            port = given
        }
        if name.hasSuffix(".") { name = name.dropLast() }
        guard !name.isEmpty, !name.hasSuffix("."), name.allSatisfy({ Self.ofHosts.contains($0) }) else { return nil }
        host = name.lowercased()
    }

    /// What a name or an address consists of. An escape such as `%2E` could mean another host for another program.
    private static let ofHosts = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:")

    /// The whole address, with the host as it was looked up.
    var text: String { "\(origin)\(path)" }

    /// The address without its query, which can hold a secret.
    var shown: String { "\(origin)\(path.prefix { $0 != "?" })" }

    private var origin: String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// The host of the address as the HTTP client reads it.
    var hostOfClient: String? {
        URL(string: text)?.host(percentEncoded: false).map { $0.filter { !"[]".contains($0) } }
    }
}
