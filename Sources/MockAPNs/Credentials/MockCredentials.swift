import APNSVocabulary
import PushPlatform
package import PushWire

/// The credentials that a mock and its clients share: a key for provider tokens with its key id and team id, and an authority
/// with a certificate for the mock's server.
///
/// The keys are real, but only mocks accept them. The key id and the team id are constants, so tests can contain them. The keys
/// are created for every ``inMemory(names:)`` and every new state folder.
public struct MockCredentials: Sendable {
    /// The key id of every key that a mock creates. Like Apple's, it has 10 characters.
    public static let keyID = "MOCKKEY123"
    /// The team id of every key that a mock creates. Like Apple's, it has 10 characters.
    public static let teamID = "MOCKTEAM12"
    /// The names in every mock's server certificate: this machine, and APNs hosts for clients whose host cannot be
    /// configured.
    public static let names = ["localhost", "127.0.0.1", "::1"] + APNSHost.all

    /// The private key for provider tokens, as the text of a `.p8` file.
    public let p8: String
    /// The certificate of the authority that clients must trust, in PEM.
    public let authority: String
    /// The files of these credentials; `nil` if they are only in memory.
    package let files: Files?

    /// The public half of the key for provider tokens.
    package let verifyingKey: VerifyingKey
    /// The server's certificate and its private key.
    package let server: PEMPair
    /// The key of the authority in PEM, for server certificates of faults; `nil` if the mock does not have it.
    let authorityKeyPEM: [UInt8]?
    /// Further keys of the same team whose provider tokens are accepted.
    package let otherKeys: [(id: String, key: VerifyingKey)]

    /// A certificate and its private key, both in PEM.
    package struct PEMPair: Hashable, Sendable {
        package let certificate: [UInt8]
        package let key: [UInt8]
    }

    /// The team, and its keys for provider tokens.
    struct TokenKeys {
        var teamID = MockCredentials.teamID
        var keyID = MockCredentials.keyID
        var key: SigningKey
        var others: [(id: String, key: VerifyingKey)] = []
    }

    /// The files of a state folder that clients need, as absolute paths.
    package struct Files: Hashable, Sendable {
        package let folder: String
        /// The certificate of the authority, `ca.pem`.
        package let authority: String
        /// The key for provider tokens, `AuthKey_MOCKKEY123.p8`.
        package let p8: String
    }

    /// The key id that belongs to the key.
    public let keyID: String
    /// The team id that belongs to the key.
    public let teamID: String

    /// Creates credentials in memory, for tests. Nothing is written to disk.
    ///
    /// - Parameter names: Host names and IP addresses of the server, besides ``names``.
    /// - Returns: New credentials for every call.
    /// - Throws: ``MockCredentialsError``; `badName` for a name that a certificate cannot contain.
    public static func inMemory(names: [String] = []) throws(MockCredentialsError) -> MockCredentials {
        try inMemory(names: names, now: Int64(time(nil)))
    }

    package static func inMemory(names: [String], now: Int64) throws(MockCredentialsError) -> MockCredentials {
        let authority = try makeAuthority(now: now)
        let server = try issue(from: authority, names: Self.names + names, now: now)
        return try MockCredentials(
            TokenKeys(key: made(try SigningKey.generate())), authorityPEM: authority.certificatePEM,
            authorityKeyPEM: made(try authority.privateKeyPEM()), server: server, files: nil)
    }

    /// Loads credentials from a state folder, and creates them the first time.
    ///
    /// The authority and the key for provider tokens do not change. The same authority issues a new server certificate when the
    /// old one lacks a name or expires in less than a week. Several processes may use the same folder at the same time. This
    /// method blocks for file access, and up to 10 seconds while another process uses the folder.
    ///
    /// - Parameters:
    ///   - folder: The folder. If it does not exist, it is created with mode 0700, and its parents too. If other users can change it or
    ///     a file in it, it is refused; with the sticky bit, only the files matter.
    ///   - names: Host names and IP addresses of the server, besides ``names``.
    /// - Returns: The credentials of the folder, with the paths of its files.
    /// - Throws: ``MockCredentialsError``, which names the file or the folder and says what to do.
    public static func kept(
        in folder: String, names: [String] = []
    ) throws(MockCredentialsError) -> MockCredentials {
        try kept(in: folder, names: names, now: Int64(time(nil)))
    }

    package static func kept(
        in folder: String, names: [String], now: Int64, patience: Int = 10
    ) throws(MockCredentialsError) -> MockCredentials {
        let folder = try StateFolder(path: folder, patience: patience)
        return try folder.locked { () throws(MockCredentialsError) in
            try KeptCredentials(folder: folder, names: Self.names + names, now: now).loadOrMake()
        }
    }

    /// Loads credentials from a folder that the mock did not create, for example one from `certs.example/make.sh`.
    ///
    /// Reads `ca.pem`, `server.pem`, `server.key`, `team-id.txt` and every `AuthKey_<key id>.p8`. Nothing is written. The mock
    /// accepts client certificates that the authority in `ca.pem` has issued.
    ///
    /// - Parameter folder: The folder.
    /// - Returns: Its credentials, with the paths of its files.
    /// - Throws: ``MockCredentialsError``, which names the file or the folder and says what to do.
    public static func supplied(in folder: String) throws(MockCredentialsError) -> MockCredentials {
        try SuppliedCredentials(folder: StateFolder(existing: folder)).load()
    }

    init(
        _ keys: TokenKeys, authorityPEM: [UInt8], authorityKeyPEM: [UInt8]?, server: PEMPair, files: Files?
    ) throws(MockCredentialsError) {
        keyID = keys.keyID
        teamID = keys.teamID
        p8 = String(decoding: try MockCredentials.made(try keys.key.pem()), as: UTF8.self)
        authority = String(decoding: authorityPEM, as: UTF8.self)
        verifyingKey = keys.key.verifyingKey
        otherKeys = keys.others
        self.authorityKeyPEM = authorityKeyPEM
        self.server = server
        self.files = files
    }
}

extension MockCredentials {
    /// Whether the mock made the keys itself. Only then are they given away.
    package var wereMade: Bool {
        keyID == Self.keyID && teamID == Self.teamID && authorityKeyPEM != nil && otherKeys.isEmpty
    }

    /// A certificate of an app with its key, as a `.p12` file.
    ///
    /// - Parameters:
    ///   - topic: The bundle id of the app.
    ///   - password: The passphrase of the file.
    ///   - isLegacy: Whether the file is encrypted for programs that read only the old encryption.
    /// - Returns: The file.
    /// - Throws: ``MockCredentialsError`` if the mock does not have the key of its authority.
    package func clientIdentity(
        topic: String, password: String, isLegacy: Bool
    ) throws(MockCredentialsError) -> [UInt8] {
        guard let authorityKeyPEM else { throw .failed("The mock doesn't have the key of its authority.") }
        return try Self.made(
            try CertificateAuthority(certificatePEM: Array(authority.utf8), privateKeyPEM: authorityKeyPEM)
                .issueClientIdentity(
                    topic: topic, password: password, validDays: 365, now: Int64(time(nil)),
                    isLegacy ? .legacy : .modern))
    }

    /// The authority as a `.p12` file for clients with a trust store, also for Java.
    ///
    /// - Parameter password: The passphrase of the file.
    /// - Returns: The file.
    /// - Throws: ``MockCredentialsError``.
    package func trustStore(password: String) throws(MockCredentialsError) -> [UInt8] {
        try Self.made(
            try PKCS12Writer.trustStore(authorities: [Array(authority.utf8)], name: "mock-apns", password: password))
    }
}

extension MockCredentials: CustomStringConvertible, CustomDebugStringConvertible {
    /// The key id, the team id and the folder, without any key.
    public var description: String {
        "MockCredentials(keyID: \(keyID), teamID: \(teamID), \(files.map { "in \($0.folder)" } ?? "in memory"))"
    }
    /// The same as ``description``, without any key.
    public var debugDescription: String { description }
}

/// Creates the parts, and converts errors to ``MockCredentialsError``.
extension MockCredentials {
    /// What a call has made of keys and certificates.
    static func made<Value>(_ value: @autoclosure () throws -> Value) throws(MockCredentialsError) -> Value {
        do { return try value() } catch { throw .failed("\(error)") }
    }

    static func makeAuthority(now: Int64) throws(MockCredentialsError) -> CertificateAuthority {
        try made(try CertificateAuthority.make(commonName: "APNs mock authority of PushProvider", now: now))
    }

    /// Issues a server certificate for 397 days. Apple's systems accept at most 825.
    static func issue(
        from authority: CertificateAuthority, names: [String], now: Int64
    ) throws(MockCredentialsError) -> PEMPair {
        do throws(CertificateError) {
            let pair = try authority.issueServerCertificate(names: names, validDays: 397, now: now)
            return PEMPair(certificate: pair.certificatePEM, key: pair.privateKeyPEM)
        } catch {
            throw MockCredentialsError(error.code == .badName ? .badName : .failed, error.description)
        }
    }
}

extension MockCredentialsError {
    static func failed(_ why: String) -> MockCredentialsError {
        MockCredentialsError(.failed, why)
    }
}
