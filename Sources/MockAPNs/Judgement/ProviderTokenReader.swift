import PushPlatform
internal import PushWire

/// Reads provider tokens from `authorization` headers: `bearer`, a space, and a JSON Web Token.
///
/// Reading is expensive: it decodes JSON and verifies a signature. A sender uses one token for many requests, so cache
/// the result by the value of the header, and clear the cache when the trusted keys change.
package struct ProviderTokenReader: Sendable {
    /// Verifies a signature. The arguments are the header of the token, the signed bytes, and the signature.
    package typealias CheckSignature = @Sendable (ProviderTokenHeader, [UInt8], [UInt8]) -> SignatureCheck

    private let checkSignature: CheckSignature

    /// Creates a reader. If every key is accepted, pass a function that returns ``SignatureCheck/notChecked``.
    package init(checkSignature: @escaping CheckSignature) {
        self.checkSignature = checkSignature
    }

    /// Reads the value of a header.
    ///
    /// The letter case of `bearer` does not matter. The parts may be padded and in standard base64. Members that APNs
    /// does not need are ignored.
    ///
    /// - Parameter authorization: The value of the header, or `nil` if there is none.
    /// - Returns: The content of the header. A malformed token is a result, not an error.
    package func read(_ authorization: String?) -> ParsedProviderToken {
        guard let authorization, !authorization.isEmpty else { return .absent }
        guard let token = Self.token(in: Array(authorization.utf8)) else {
            return .otherScheme
        }
        if token.isEmpty { return .absent }
        do throws(Malformed) {
            return .read(try content(of: token))
        } catch {
            return .malformed(error.reason)
        }
    }

    /// Returns the `kid` of a token without a check; `nil` if it has none.
    static func keyID(in authorization: String) -> String? {
        guard let token = token(in: Array(authorization.utf8)),
            let part = token.split(separator: UInt8(ascii: "."), maxSplits: 1).first
        else { return nil }
        return (try? decode(ProviderTokenHeader.self, part, "header")).map { kept($0.kid) }
    }

    /// Returns the text after `bearer`: empty if there is none, `nil` if the header does not begin with `bearer`.
    private static func token(in header: [UInt8]) -> ArraySlice<UInt8>? {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let parts = header.split(maxSplits: 1, whereSeparator: isSpace)
        guard let scheme = parts.first else { return [] }
        guard scheme.map({ $0 | 0x20 }) == Array("bearer".utf8) else { return nil }
        guard parts.count == 2 else { return [] }
        var token = parts[1].drop(while: isSpace)
        while let last = token.last, isSpace(last) { token.removeLast() }
        return token
    }

    private func content(of token: ArraySlice<UInt8>) throws(Malformed) -> ProviderTokenContent {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw Malformed(
                reason: "A provider token must have three parts separated by dots, but this one has \(parts.count).")
        }
        let header = try Self.decode(ProviderTokenHeader.self, parts[0], "header")
        let claims = try Self.decode(Claims.self, parts[1], "claim set")
        guard let signature = Self.bytes(of: parts[2]), !signature.isEmpty else {
            throw Malformed(reason: "The signature of the provider token isn't base64url.")
        }
        let signed = Array(token[..<parts[1].endIndex])
        return ProviderTokenContent(
            algorithm: Self.kept(header.alg),
            keyID: Self.kept(header.kid),
            teamID: Self.kept(claims.iss),
            issuedAt: Date(timeIntervalSince1970: claims.iat.seconds),
            issueTimeIsText: claims.iat.isText,
            issueTimeIsFraction: claims.iat.isFraction,
            expiresAt: claims.exp?.date,
            signature: checkSignature(header, signed, signature),
            signatureForm: signature.count == header.rawSignatureCount ? .raw : .der,
            isStandardBase64: Self.isStandardBase64(token)
        )
    }

    /// The part of an id that is kept: 100 Unicode scalars. Scalars, because one character can have any number of them. The ids
    /// of keys and teams are much shorter, so a longer one is still unknown.
    private static func kept(_ id: String) -> String {
        id.utf8.count <= 100 ? id : String(String.UnicodeScalarView(id.unicodeScalars.prefix(100)))
    }

    private static func bytes(of part: ArraySlice<UInt8>) -> [UInt8]? {
        Base64URL.decode(String(decoding: part, as: UTF8.self))
    }

    /// Whether the token contains characters of standard base64. RFC 7515 allows only base64url.
    private static func isStandardBase64(_ token: ArraySlice<UInt8>) -> Bool {
        token.contains(UInt8(ascii: "+")) || token.contains(UInt8(ascii: "/"))
    }

    private static func decode<Part: Decodable>(
        _ type: Part.Type, _ part: ArraySlice<UInt8>, _ name: String
    ) throws(Malformed) -> Part {
        guard let json = bytes(of: part) else {
            throw Malformed(reason: "The \(name) of the provider token isn't base64url.")
        }
        guard JSONForm.isObject(json) else {
            throw Malformed(reason: "The \(name) of the provider token isn't a JSON object.")
        }
        do {
            return try JSONDecoder().decode(type, from: Data(json))
        } catch DecodingError.keyNotFound(let key, _) {
            throw Malformed(reason: "The \(name) of the provider token has no \"\(key.stringValue)\".")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let member = context.codingPath.first.map { "\"\($0.stringValue)\" in the" } ?? "The"
            throw Malformed(reason: "\(member) \(name) of the provider token has the wrong type.")
        } catch {
            throw Malformed(reason: "The \(name) of the provider token has a value of the wrong type.")
        }
    }
}

/// The result of reading the `authorization` header of a request.
package enum ParsedProviderToken: Hashable, Sendable {
    /// There is no header, or nothing after `bearer`.
    case absent
    /// The header does not begin with `bearer` (for example `Basic`).
    case otherScheme
    /// The header does not contain a provider token. The sentence says why and contains no secret.
    case malformed(String)
    /// A readable provider token. Its validity is checked later, by ``APNSState/judge(_:authorizedBy:on:at:ids:)``.
    case read(ProviderTokenContent)

    /// The content of the provider token; `nil` if it could not be read.
    package var content: ProviderTokenContent? {
        if case .read(let content) = self { content } else { nil }
    }
}

private struct Malformed: Error {
    let reason: String
}

/// The members of a token's header that APNs needs.
package struct ProviderTokenHeader: Decodable, Sendable {
    package let alg: String
    package let kid: String

    /// The name that one sender gives to its signatures. It is wrong: ES512 needs a P-521 key.
    static let es512 = "ES512"

    fileprivate var rawSignatureCount: Int { alg == Self.es512 ? 132 : 64 }
}

private struct Claims: Decodable {
    let iss: String
    let iat: IssueTime
    let exp: ExpirationTime?
}

/// `exp`, which APNs does not ask for: a number, or anything else, which is ignored.
private struct ExpirationTime: Decodable {
    let date: Date?

    init(from decoder: any Decoder) throws {
        let seconds = try? decoder.singleValueContainer().decode(Double.self)
        date = seconds.map { Date(timeIntervalSince1970: $0) }
    }
}

/// `iat`: a number, or a string that contains a whole number. Some senders send such a string, and APNs has accepted
/// it.
private struct IssueTime: Decodable {
    let seconds: Double
    let isText: Bool
    var isFraction: Bool { seconds != seconds.rounded() }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            (seconds, isText) = (number, false)
            return
        }
        let text = try container.decode(String.self)
        guard text.utf8.allSatisfy(\.isASCIIDigit), let number = Double(text), number.isFinite else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "iat isn't a number")
        }
        (seconds, isText) = (number, true)
    }
}
