/// A host and a port as people write them: `localhost`, `localhost:443`, `127.0.0.1:443`, `[::1]:443`.
///
/// Options, settings and configurations that take a host and a port read it with this. What a host can be, and which ports are
/// possible, is decided by each of them.
package struct HostAndPort: Hashable, Sendable {
    package enum Mistake: Error, Hashable {
        /// An IPv6 address without brackets: its last group could be a port.
        case noBrackets
        case noClosingBracket
        case textAfterBracket
    }

    /// The host, without brackets.
    package var host: Substring
    /// The text behind the colon, which may be empty; `nil` if there is no colon.
    package var port: Substring?
    package var isBracketed: Bool

    package init(_ text: Substring) throws(Mistake) {
        isBracketed = text.hasPrefix("[")
        var rest = text
        if isBracketed {
            guard let end = text.firstIndex(of: "]") else { throw .noClosingBracket }
            host = text[..<end].dropFirst()
            rest = text[end...].dropFirst()
            guard rest.isEmpty || rest.hasPrefix(":") else { throw .textAfterBracket }
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<end]
            rest = text[end...]
            guard !rest.dropFirst().contains(":") else { throw .noBrackets }
        }
        port = rest.isEmpty ? nil : rest.dropFirst()
    }

    /// The number of the port: decimal digits, at most 65535; `nil` for any other text.
    package var portNumber: Int? {
        guard let port, !port.isEmpty, port.utf8.allSatisfy(\.isASCIIDigit), let number = Int(port),
            number <= 65_535
        else { return nil }
        return number
    }

    /// The text with brackets around an IPv6 address. If what remains without its last group is an address too, that is taken for the
    /// port. `nil` if the text has no IPv6 address.
    package static func bracketed(_ text: Substring) -> String? {
        let colon = text.lastIndex(of: ":") ?? text.endIndex
        let (address, port) = (text[..<colon], text[colon...].dropFirst())
        if isIPv6(address), let number = Int(port), (0...65_535).contains(number) { return "[\(address)]:\(port)" }
        return isIPv6(text) ? "[\(text)]" : nil
    }

    /// How to write an IPv6 address that has no brackets, as a sentence; `nil` if the text has no IPv6 address.
    package static func bracketsAdvice(for text: Substring) -> String? {
        // A zone can have any character.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return bracketed(text).map { "An IPv6 address needs brackets: \($0)." }
    }

    /// Whether a text is an IPv6 address, with a zone or without.
    package static func isIPv6(_ text: Substring) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1
    }
}
