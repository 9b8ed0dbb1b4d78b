import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider
internal import PushWire

/// The form of a file by its bytes, before it is decoded.
enum InspectedForm: Equatable {
    /// PEM with a private or public key, and no certificate.
    case keyPEM
    /// PEM with a certificate, and possibly its key.
    case certificatePEM
    /// A certificate in DER, Apple's `.cer`.
    case certificateDER
    case pkcs12
    /// A provider token: three parts with dots between them.
    case providerToken(String)
    /// One line that may be a device token.
    case deviceToken(String)
    /// A common wrong input: what it is, and what to do.
    case other(String)
    /// Data, and none of these. The sentence says which command reads it.
    case data(String)

    init(_ bytes: [UInt8]) {
        if let known = Self.archive(bytes) ?? CredentialFileKind(bytes).map({ Self.form($0, bytes) }) {
            self = known
            return
        }
        let text = String(decoding: FileText.utf8(bytes), as: UTF8.self)
        let line = text.trimmed
        if line.isEmpty {
            self = .data("It is empty.")
        } else if let token = ProviderTokenText.token(in: line) {
            self = .providerToken(token)
        } else if line.hasPrefix("{") || line.hasPrefix("[") {
            self = Self.json(line)
        } else if line.hasPrefix("<?xml") || line.hasPrefix("<plist") {
            self = .other("It is a property list, not a key or a certificate.")
        } else if line.utf8.count <= 400, !line.contains(where: \.isNewline) {
            self = .deviceToken(line)
        } else {
            self = .data(Self.isTable(line) ? Self.table : Self.nothingKnown)
        }
    }

    private static let table = """
        It looks like a table for a campaign. Send it with "pushsend batch FILE", or check it first with --dry-run.
        """

    /// Whether all of the first lines have as many commas, semicolons or tabs as the header, or are device tokens.
    private static func isTable(_ text: String) -> Bool {
        let lines = text.split(whereSeparator: \.isNewline).prefix(5)
        return lines.allSatisfy { (try? DeviceToken(String($0))) != nil }
            || [",", ";", "\t"].contains { delimiter in
                let columns = lines.map { line in line.count { String($0) == delimiter } }
                return columns[0] > 0 && columns.allSatisfy { $0 == columns[0] }
            }
    }

    static let nothingKnown =
        "It has an unknown format. inspect reads .p8, .p12, .pem and .cer files, provider tokens and device tokens."

    // MARK: Keys and certificates

    private static func form(_ kind: CredentialFileKind, _ bytes: [UInt8]) -> InspectedForm {
        switch kind {
        case .privateKey, .publicKey: .keyPEM
        case .certificate, .identity: .certificatePEM
        case .certificateDER: .certificateDER
        case .pkcs12: .pkcs12
        case .privateKeyDER, .publicKeyDER: .other(binaryKey)
        case .request: .other(request)
        case .signedData:
            .other(bytes.prefix(4096).firstRange(of: Array("<plist".utf8)) != nil ? profile : bundle)
        case .otherPEM("PKCS7"), .otherPEM("CMS"): .other(bundle)
        case .otherPEM: .keyPEM
        }
    }

    private static let request = """
        It is a certificate signing request. Upload it at developer.apple.com, Certificates, Identifiers & Profiles, \
        and use the certificate that you get, together with the private key of the request.
        """

    private static let bundle = """
        It is a bundle of certificates (PKCS#7) and contains no private key. Export the identity as .p12 in Keychain Access.
        """

    // MARK: Binary

    private static func archive(_ bytes: [UInt8]) -> InspectedForm? {
        if bytes.starts(with: "bplist".utf8) { return .other("It is a property list, not a key or a certificate.") }
        guard bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) else { return nil }
        return .other("It is a zip archive, like .ipa and .pkpass files. Unpack it and inspect its files.")
    }

    private static let binaryKey = """
        It is a key in DER. Apple's keys are PEM. Convert it with \
        "openssl pkey -inform DER -in FILE -out FILE.pem".
        """

    private static let profile = """
        It is a provisioning profile. It can't sign pushes. To see its aps-environment, use \
        "security cms -D -i FILE" on a Mac, or "openssl cms -verify -noverify -inform DER -in FILE".
        """

    // MARK: JSON

    private static func json(_ text: String) -> InspectedForm {
        guard let value = PushJSONValue(json: Array(text.utf8)) else {
            return .data(
                jsonLines(text) ?? "It looks like JSON, but it isn't valid. Check it with \"pushsend lint FILE\".")
        }
        if value["aps"] != nil { return .data("It is a payload. Check it with \"pushsend lint FILE\".") }
        if value["private_key"] != nil {
            return .other(
                "It is a key of another service, such as Firebase. Apple's keys are .p8 files from developer.apple.com."
            )
        }
        return .data(
            jsonLines(text) ?? "It is JSON, but not a key or a certificate. A payload needs \"aps\".")
    }

    /// What a text with a JSON object on each line is for; `nil` if it is something else.
    private static func jsonLines(_ text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline).prefix(5).map { PushJSONValue(json: Array($0.utf8)) }
        guard lines.allSatisfy({ $0?["token"] != nil }) else { return nil }
        return lines.allSatisfy { $0?["outcome"] != nil }
            ? "It contains the results of a campaign, one JSON object per line. Read it with jq."
            : "It contains lines for a campaign. Send them with \"pushsend batch FILE\", or check them first with --dry-run."
    }
}

/// Finds a provider token in pasted text.
enum ProviderTokenText {
    /// Returns the token in a text: the text itself, or the text after the name of its header; `nil` if there is none.
    static func token(in text: String) -> String? {
        var rest = Substring(text)
        for prefix in ["authorization:", "bearer"] {
            if rest.lowercased().hasPrefix(prefix) { rest = rest.dropFirst(prefix.count).drop(while: \.isWhitespace) }
        }
        // Base64 of `{"`. The header of each JSON Web Token begins with it.
        guard rest.hasPrefix("eyJ"), !rest.contains(where: \.isWhitespace), rest.contains(".") else { return nil }
        return String(rest)
    }
}
