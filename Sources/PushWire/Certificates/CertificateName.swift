internal import CSSL
internal import PushPlatform

enum CertificateName: Hashable {
    /// A host name, in lower case, without a dot at the end. Its first label may be `*`.
    case host(String)
    /// An IP address, in the format of ``address(_:)``.
    case address(String)

    /// Creates a name from a host name or an IP address, and refuses other texts.
    ///
    /// Only letters, digits, `-`, `_`, dots, colons and `*` are allowed, so that a name cannot contain other syntax of
    /// OpenSSL's configuration language.
    init(_ text: String) throws(CertificateError) {
        if let address = CertificateName.parsedAddress(text) {
            self = .address(address)
        } else {
            self = .host(try CertificateName.checkedHost(text))
        }
    }

    /// The name in OpenSSL's configuration language, x509v3_config(5).
    var configuration: String {
        switch self {
        case .host(let name): "DNS:\(name)"
        case .address(let address): "IP:\(address)"
        }
    }

    private static func parsedAddress(_ text: String) -> String? {
        // OpenSSL stops at a NUL, so only characters of an address are passed to it.
        guard text.utf8.allSatisfy({ $0.hexDigitValue != nil || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }),
            let octets = a2i_IPADDRESS(text)
        else {
            OpenSSLErrorQueue.clear()
            return nil
        }
        defer { ASN1_OCTET_STRING_free(octets) }
        return address(
            Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(octets), count: Int(ASN1_STRING_length(octets))))
        )
    }

    /// Checks a host name by RFC 1123 section 2.1. The underscore is allowed too, because it is in use.
    private static func checkedHost(_ text: String) throws(CertificateError) -> String {
        var name = text.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253 else { throw .badName(text, "is longer than the 253 characters of a host name") }
        for (index, label) in labels.enumerated() where !(index == 0 && label == "*" && labels.count > 1) {
            guard (1...63).contains(label.utf8.count), label.first != "-", label.last != "-",
                label.utf8.allSatisfy({ $0.isHostCharacter })
            else { throw .badName(text, "is neither a host name nor an IP address") }
        }
        guard let last = labels.last, !last.utf8.allSatisfy(\.isASCIIDigit) else {
            throw .badName(text, "looks like an IP address, but isn't valid")
        }
        return name
    }

    /// Returns an IPv4 or IPv6 address in the format of RFC 5952 section 4; `nil` for any other number of bytes.
    static func address(_ bytes: [UInt8]) -> String? {
        if bytes.count == 4 { return bytes.map { String($0) }.joined(separator: ".") }
        guard bytes.count == 16 else { return nil }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        let text = groups.map { String($0, radix: 16) }
        let zeros = longestZeros(in: groups)
        guard zeros.count > 1 else { return text.joined(separator: ":") }
        return text[..<zeros.lowerBound].joined(separator: ":") + "::"
            + text[zeros.upperBound...].joined(separator: ":")
    }

    private static func longestZeros(in groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 {
                start = index + 1
            } else if index + 1 - start > longest.count {
                longest = start..<(index + 1)
            }
        }
        return longest
    }
}

extension UInt8 {
    fileprivate var isHostCharacter: Bool {
        isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || self == UInt8(ascii: "-")
            || self == UInt8(ascii: "_")
    }
}
