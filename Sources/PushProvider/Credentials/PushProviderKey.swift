public import PushPlatform
internal import PushWire

/// A key from Apple's developer portal that signs provider tokens.
///
/// Source: Apple, "Establishing a token-based connection to APNs".
public struct PushProviderKey: Sendable, CustomStringConvertible {
    /// The id of the key: the ten characters in the name of its file.
    public let keyID: String
    /// The id of the team: ten characters, in the portal under Membership.
    public let teamID: String
    /// Possible problems of the file, as sentences: other users can read it, or its name has the id of another key.
    public let warnings: [String]

    let signingKey: SigningKey

    /// Reads the key from a file.
    ///
    /// - Parameters:
    ///   - p8File: The path of the `AuthKey_….p8`.
    ///   - keyID: Ten characters; by default those in the name of the file.
    ///   - teamID: Ten characters.
    /// - Throws: ``PushCredentialsError``; `badKeyID` if no key id is given, and the name of the file has none.
    public init(p8File: String, keyID: String? = nil, teamID: String) throws(PushCredentialsError) {
        let nameID = Self.keyID(inFileName: p8File)
        guard let keyID = keyID ?? nameID else {
            throw PushCredentialsError(
                .badKeyID,
                """
                The name of "\(p8File)" contains no key id, such as AuthKey_ABC123DEFG.p8: give the key id, or give the file \
                its name back.
                """)
        }
        if let nameID, nameID == teamID, keyID != teamID {
            throw PushCredentialsError(
                .swappedIDs,
                """
                Key id and team id are swapped: the file name has the key id \(nameID), which was given as team id.
                """)
        }
        var file = try KeyFile(path: p8File)
        defer { SecretBytes.wipe(&file.bytes) }
        var warnings = file.warnings(p8File)
        if let nameID, nameID != keyID {
            warnings.append("The file name \"\(p8File)\" has the key id \(nameID), but the given key id is \(keyID).")
        }
        try self.init(pem: file.bytes, keyID: keyID, teamID: teamID, name: "\"\(p8File)\"", warnings: warnings)
    }

    /// Creates a key from a string, for example from a secret store or an environment variable.
    ///
    /// - Parameters:
    ///   - p8: The contents of the `.p8` file, from `-----BEGIN PRIVATE KEY-----` to the end, or its base64. Lost line breaks,
    ///     indentation and quotation marks do no harm.
    ///   - keyID: Ten characters.
    ///   - teamID: Ten characters.
    /// - Throws: ``PushCredentialsError``.
    public init(p8: String, keyID: String, teamID: String) throws(PushCredentialsError) {
        let isPath = !p8.contains("-----BEGIN") && (p8.hasSuffix(".p8") || p8.hasSuffix(".pem"))
        guard !isPath else {
            throw PushCredentialsError(
                .unusableKey, "This is the path of a file, not the text of a key: use init(p8File:keyID:teamID:).")
        }
        try self.init(p8: p8.utf8, keyID: keyID, teamID: teamID)
    }

    /// Creates a key from bytes, such as a `Data`.
    ///
    /// - Parameters:
    ///   - p8: The contents of the `.p8` file.
    ///   - keyID: Ten characters.
    ///   - teamID: Ten characters.
    /// - Throws: ``PushCredentialsError``.
    public init(p8: some Sequence<UInt8>, keyID: String, teamID: String) throws(PushCredentialsError) {
        try self.init(pem: Array(p8), keyID: keyID, teamID: teamID, name: "the key", warnings: [])
    }

    /// Creates a key from bytes, with a name for it in errors.
    package init(
        pem: [UInt8], keyID: String, teamID: String, name: String, warnings: [String] = []
    ) throws(PushCredentialsError) {
        if let problem = Self.problem(in: keyID) {
            throw PushCredentialsError(
                .badKeyID,
                """
                The key id "\(Self.shortened(keyID))" \(problem): it is the ten characters in the name of AuthKey_XXXXXXXXXX.p8.
                """)
        }
        if let problem = Self.problem(in: teamID) {
            throw PushCredentialsError(
                .badTeamID,
                """
                The team id "\(Self.shortened(teamID))" \(problem): it is ten characters, at developer.apple.com under \
                Membership details.
                """)
        }
        signingKey = try rethrowing(try SigningKey(pem: pem)) { (error: KeyError) in
            PushCredentialsError(.unusableKey, "\(name) can't be used to sign: \(error)", found: error.found)
        }
        self.keyID = keyID
        self.teamID = teamID
        self.warnings = warnings
    }

    /// The key id and the team id; nothing of the key.
    public var description: String { "key \(keyID) of team \(teamID)" }

    /// Returns the key id in a file name such as `AuthKey_ABC123DEFG.p8`.
    ///
    /// Browsers and people change the name: `AuthKey_ABC123DEFG (1).p8`, `APNsAuthKey_ABC123DEFG.p8` and
    /// `authkey_abc123defg.p8` have the same id, and so has `AuthKey_ABC123DEFG.p8.txt`.
    /// - Parameter path: The path of a key file.
    /// - Returns: The key id in upper case; `nil` if the file has another name.
    public static func keyID(inFileName path: String) -> String? {
        let name = Array((path.split(separator: "/").last ?? "").utf8)
        let begin = Array("AUTHKEY_".utf8)
        guard let start = name.indices.first(where: { name[$0...].prefix(begin.count).map(\.upperCase) == begin })
        else {
            return nil
        }
        let rest = name[(start + begin.count)...]
        let id = rest.prefix { $0.isASCIILetterOrDigit }
        let ending = rest[id.endIndex...].map(\.upperCase)
        let isKey = [".P8", ".P8.TXT"].contains { ending.suffix($0.utf8.count) == Array($0.utf8)[...] }
        guard id.count == APNSLimit.identifierCharacters, isKey else { return nil }
        return String(decoding: id.map(\.upperCase), as: UTF8.self)
    }

    /// Shortens an id for messages. The given id may be the key itself by mistake.
    private static func shortened(_ id: String) -> String {
        id.count <= 20 ? id : "\(id.prefix(4))…"
    }

    /// Returns what is wrong with a key id or team id; `nil` if it is valid.
    ///
    /// - Parameter id: The given id.
    /// - Returns: The end of a sentence that begins with the id, for example `has 9 characters, not 10`.
    public static func problem(in id: String) -> String? {
        let wanted = APNSLimit.identifierCharacters
        guard id.count == wanted else { return "has \(id.count) characters, not \(wanted)" }
        guard id.utf8.allSatisfy(\.isASCIILetterOrDigit) else { return "has a character other than letters and digits" }
        let upper = id.utf8.map(\.upperCase)
        guard !upper.elementsEqual(id.utf8) else { return nil }
        let meant = String(decoding: upper, as: UTF8.self)
        return "has lower-case letters, and Apple's ids have none (did you mean \(meant)?)"
    }
}

extension UInt8 {
    /// The ASCII letter in upper case; other bytes unchanged.
    fileprivate var upperCase: UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self - 32 : self
    }
}

extension PushProviderKey {
    /// Returns the current provider token: the token that a client with this key sends now.
    ///
    /// All processes with the same key create tokens with the same time of issue. It changes every half hour, at the
    /// same time in all processes, because Apple refuses tokens that change more often than every 20 minutes.
    /// - Parameter now: The current time.
    /// - Returns: The provider token without the word `bearer`.
    /// - Throws: ``PushCredentialsError`` if the key cannot sign.
    public func providerToken(at now: Date = Date()) throws(PushCredentialsError) -> String {
        try providerToken(secondsSince1970: Int(clamping: now.timeIntervalSince1970))
    }

    func providerToken(secondsSince1970 now: Int) throws(PushCredentialsError) -> String {
        try ProviderTokenSigner.shared(for: self).token(secondsSince1970: now).text
    }

    /// Whether this key made a signature, raw or in DER.
    ///
    /// - Parameters:
    ///   - message: The signed bytes. For a provider token, these are the first two parts and the dot between them.
    ///   - signature: The bytes of the signature.
    /// - Returns: `true` if the public half of this key verifies it.
    package func hasSigned(_ message: [UInt8], signature: [UInt8]) -> Bool {
        signingKey.verifyingKey.verify(signature: signature, over: message)
    }
}
