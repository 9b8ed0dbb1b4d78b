internal import PushPlatform

struct ProxyURL: Equatable {
    var host: String
    var port: Int
    /// The user as the proxy gets it, without `%XX`; `nil` without authentication.
    var user: [UInt8]?
    var password: [UInt8] = []

    /// Why the URL cannot be used. It contains no secrets.
    struct Mistake: Error {
        /// What is wrong, and how to correct it: "has no host: …".
        var message: String

        func error(named name: String) -> PushConfigurationError {
            PushConfigurationError(name: name, description: "\(name) \(message).")
        }
    }

    private static let form = "write http://host:port, or http://user:password@host:port"
}

extension ProxyURL {
    init(_ url: String) throws(Mistake) {
        guard url.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7F..<0xA0).contains($0.value) }) else {
            throw Mistake(message: "has a space or a control character in it: \(Self.form)")
        }
        var rest = try Self.withoutScheme(url)
        while rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.contains(where: { "/?#".contains($0) }) else {
            throw Mistake(
                message: "has more than a host and a port: \(Self.form), with %2F, %3F and %23 for / ? # in a password")
        }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = try Self.decoded(parts.first ?? "")
            password = try parts.count == 2 ? Self.decoded(parts[1]) : []
            rest = rest[rest.index(after: at)...]
        }
        (host, port) = try Self.endpoint(rest)
    }

    private static func withoutScheme(_ url: String) throws(Mistake) -> Substring {
        guard let mark = url.firstRange(of: "://") else { return url[...] }
        let scheme = url[..<mark.lowerBound].lowercased()
        let isScheme = scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        switch scheme {
        case "http": return url[mark.upperBound...]
        case "https":
            throw Mistake(
                message: "is an HTTPS proxy (https://), which isn't supported: give its plain port with http://; "
                    + "the connection through the tunnel is encrypted in any case")
        case _ where scheme.hasPrefix("socks"):
            throw Mistake(
                message:
                    "is a SOCKS proxy (\(scheme)://), which isn't supported: give an HTTP proxy, http://host:port, "
                    + "or an empty value for no proxy")
        case _ where isScheme && !scheme.isEmpty:
            throw Mistake(message: "has the scheme \(scheme)://, which isn't supported: \(form)")
        default: throw Mistake(message: "isn't the URL of a proxy: \(form)")
        }
    }

    private static func endpoint(_ text: Substring) throws(Mistake) -> (host: String, port: Int) {
        let parts: HostAndPort
        do throws(HostAndPort.Mistake) { parts = try HostAndPort(text) } catch {
            switch error {
            case .noClosingBracket:
                throw Mistake(message: "has an IPv6 address without its closing bracket: write http://[::1]:3128")
            case .textAfterBracket: throw Mistake(message: "has no valid port: \(form)")
            case .noBrackets:
                let address = HostAndPort.bracketed(text) ?? "[::1]:3128"
                throw Mistake(message: "has an IPv6 address without brackets: write http://\(address)")
            }
        }
        guard parts.port != nil else { return (zoned(parts.host), PushProxy.defaultPort) }
        guard let number = parts.portNumber else {
            throw Mistake(message: "has a port that isn't a number from 1 to 65535: \(form)")
        }
        return (zoned(parts.host), number)
    }

    /// Decodes `%25`, the percent sign before the zone of an address in a URL (RFC 6874).
    private static func zoned(_ host: Substring) -> String {
        guard let mark = host.firstRange(of: "%25") else { return String(host) }
        return "\(host[..<mark.lowerBound])%\(host[mark.upperBound...])"
    }

    private static func decoded(_ text: Substring) throws(Mistake) -> [UInt8] {
        guard let bytes = PercentEncoding.bytes(text) else {
            throw Mistake(
                message: "has a % in its user or password that isn't followed by two hex digits: write %25 for %")
        }
        return bytes
    }

    // MARK: Validation

    func validate() throws(Mistake) {
        guard !host.isEmpty else { throw Mistake(message: "has no host: \(Self.form)") }
        guard PushEnvironment.isHost(host) else {
            throw Mistake(message: "has a host with characters that a host name can't have: \(Self.form)")
        }
        guard (1...65_535).contains(port) else {
            throw Mistake(message: "has a port that isn't a number from 1 to 65535: \(Self.form)")
        }
        guard let user else { return }
        guard !(user + password).contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Mistake(message: "has a control character in its user or password: correct them")
        }
        guard !user.contains(UInt8(ascii: ":")) else {
            throw Mistake(message: "has a colon in its user, which Basic authentication can't have: use another user")
        }
    }
}
