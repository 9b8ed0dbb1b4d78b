internal import PushPlatform

/// The address of the service for its users, such as `https://push.example.com`: a scheme, a host and perhaps a port.
package struct PublicURL: Sendable, Hashable {
    /// In lower case.
    package let host: String
    /// Scheme, host and port, as browsers write them in `Origin`: in lower case, without the usual port.
    package let origin: String

    var isSecure: Bool { origin.hasPrefix("https:") }

    /// Reads an address. The result is `nil` if the text is not an address, or has a path, a query or a user.
    package init?(_ text: String) {
        let text = text.lowercased()
        guard let scheme = ["https", "http"].first(where: { text.hasPrefix("\($0)://") }) else { return nil }
        var rest = text.dropFirst(scheme.count + 3)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        let (name, port) = Self.split(rest)
        guard !name.isEmpty, Self.isHost(name), port.map({ (1...65_535).contains($0) }) ?? (name.count == rest.count)
        else { return nil }
        host = String(name)
        let isDefaultPort = port == nil || port == (scheme == "https" ? 443 : 80)
        origin = "\(scheme)://\(name)" + (isDefaultPort ? "" : ":\(port ?? 0)")
    }

    private static func split(_ text: Substring) -> (name: Substring, port: Int?) {
        guard let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") else { return (text, nil) }
        let digits = text[text.index(after: colon)...]
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return (text, nil) }
        return (text[..<colon], Int(digits) ?? 0)
    }

    private static func isHost(_ text: Substring) -> Bool {
        guard text.contains(where: { $0.isLetter || $0.isNumber }) else { return false }
        if text.hasPrefix("["), text.hasSuffix("]") {
            return HostAndPort.isIPv6(text.dropFirst().dropLast()) && !text.contains("%")
        }
        return text.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x2E
        }
    }
}
