import APNSVocabulary
import PushPlatform
package import PushWire

/// What a mock and its clients need to trust each other: a key for provider tokens with its key and team id, and an
/// authority with a certificate for the mock's server.
///
/// They are real keys that open nothing but mocks. The two ids are fixed words that may stand in committed test
/// configurations; the keys are made anew for every ``inMemory(names:)`` and every state folder.
public struct MockCredentials: Sendable {
    /// The key id of every mock that makes its own key, 10 characters as Apple's.
    public static let keyID = "MOCKKEY123"
    /// The team id of every mock that makes its own key, 10 characters as Apple's.
    public static let teamID = "MOCKTEAM12"
    /// What every mock's certificate is for: this machine, and Apple's push hosts for clients that cannot be told
    /// another host.
    public static let names = ["localhost", "127.0.0.1", "::1"] + APNSHost.all

    /// The private key for provider tokens, as the text of a `.p8` file.
    public let p8: String
    /// The certificate of the authority that clients are to trust, in PEM.
    public let authority: String
    /// Where these are kept, or `nil` in memory.
    public let files: Files?

    /// The public half of the key for provider tokens.
    package let verifyingKey: VerifyingKey
    /// The server's certificate in PEM.
    package let serverCertificatePEM: [UInt8]
    /// The server's private key in PEM.
    package let serverKeyPEM: [UInt8]
    /// The key of the authority in PEM, for server certificates that a fault wants; `nil` where somebody else keeps it.
    let authorityKeyPEM: [UInt8]?
    /// Further keys whose provider tokens are accepted, of the same team.
    package let otherKeys: [(id: String, key: VerifyingKey)]

    /// The files of a state folder that clients are given, as absolute paths.
    public struct Files: Hashable, Sendable {
        /// The state folder.
        public let folder: String
        /// The certificate of the authority, `ca.pem`.
        public let authority: String
        /// The key for provider tokens, `AuthKey_MOCKKEY123.p8`.
        public let p8: String
    }

    /// The key id that belongs to the key.
    public let keyID: String
    /// The team id that belongs to the key.
    public let teamID: String

    /// Makes credentials that end with the process, for tests.
    ///
    /// - Parameter names: Host names and IP addresses of the server, besides ``names``.
    /// - Returns: New credentials, every time.
    /// - Throws: ``MockCredentialsError``, `badName` for a name that can stand in no certificate.
    public static func inMemory(names: [String] = []) throws(MockCredentialsError) -> MockCredentials {
        try inMemory(names: names, now: Int64(time(nil)))
    }

    package static func inMemory(names: [String], now: Int64) throws(MockCredentialsError) -> MockCredentials {
        let authority = try makeAuthority(now: now)
        let server = try issue(from: authority, names: Self.names + names, now: now)
        return try MockCredentials(
            key: makeKey(), authority: authority, serverCertificatePEM: server.certificatePEM,
            serverKeyPEM: server.privateKeyPEM, files: nil)
    }

    /// Makes credentials in a folder at the first start, and takes the same ones at every later start.
    ///
    /// The authority and the key for provider tokens stay as they are. The server's certificate is made again, by the
    /// same authority, when it does not cover the names asked for or has less than a week to go. Several processes may
    /// start on one folder at once. It blocks on files, and up to 10 seconds for another process.
    ///
    /// - Parameters:
    ///   - folder: Made with mode 0700, parents too, when it is not there.
    ///   - names: Host names and IP addresses of the server, besides ``names``.
    /// - Returns: The credentials of the folder, with the paths of its files.
    /// - Throws: ``MockCredentialsError``, which names the file or the folder and the way out.
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

    /// Takes credentials that somebody else has made, certificates of clients among them: what `certs.example/make.sh`
    /// puts into a folder.
    ///
    /// It reads `ca.pem`, `server.pem`, `server.key`, `team-id.txt` and every `AuthKey_<key id>.p8`; nothing is written.
    /// Client certificates that the authority in `ca.pem` has issued are accepted.
    ///
    /// - Parameter folder: The folder.
    /// - Returns: Its credentials, with the paths of its files.
    /// - Throws: ``MockCredentialsError``, which names the file or the folder and the way out.
    public static func supplied(in folder: String) throws(MockCredentialsError) -> MockCredentials {
        try SuppliedCredentials(folder: StateFolder(existing: folder)).load()
    }

    init(
        key: SigningKey, authority: CertificateAuthority, serverCertificatePEM: [UInt8], serverKeyPEM: [UInt8],
        files: Files?
    ) throws(MockCredentialsError) {
        try self.init(
            keyID: Self.keyID, teamID: Self.teamID, key: key, authorityPEM: authority.certificatePEM,
            authorityKeyPEM: try Self.privateKeyPEM(of: authority), serverCertificatePEM: serverCertificatePEM,
            serverKeyPEM: serverKeyPEM, otherKeys: [], files: files)
    }

    init(
        keyID: String, teamID: String, key: SigningKey, authorityPEM: [UInt8], authorityKeyPEM: [UInt8]?,
        serverCertificatePEM: [UInt8], serverKeyPEM: [UInt8], otherKeys: [(id: String, key: VerifyingKey)],
        files: Files?
    ) throws(MockCredentialsError) {
        self.keyID = keyID
        self.teamID = teamID
        p8 = String(decoding: try MockCredentials.pem(of: key), as: UTF8.self)
        authority = String(decoding: authorityPEM, as: UTF8.self)
        verifyingKey = key.verifyingKey
        self.authorityKeyPEM = authorityKeyPEM
        self.serverCertificatePEM = serverCertificatePEM
        self.serverKeyPEM = serverKeyPEM
        self.otherKeys = otherKeys
        self.files = files
    }
}

extension MockCredentials: CustomStringConvertible, CustomDebugStringConvertible {
    /// The ids and where the rest is, without any key.
    public var description: String {
        "MockCredentials(keyID: \(keyID), teamID: \(teamID), \(files.map { "in \($0.folder)" } ?? "in memory"))"
    }
    /// The same: no key in it.
    public var debugDescription: String { description }
}

/// Making the parts, with the errors of this layer.
extension MockCredentials {
    static func makeKey() throws(MockCredentialsError) -> SigningKey {
        do throws(KeyError) { return try SigningKey.generate() } catch { throw .failed(error.description) }
    }

    static func pem(of key: SigningKey) throws(MockCredentialsError) -> [UInt8] {
        do throws(KeyError) { return try key.pem() } catch { throw .failed(error.description) }
    }

    static func privateKeyPEM(of authority: CertificateAuthority) throws(MockCredentialsError) -> [UInt8] {
        do throws(CertificateError) { return try authority.privateKeyPEM() } catch { throw .failed(error.description) }
    }

    static func makeAuthority(now: Int64) throws(MockCredentialsError) -> CertificateAuthority {
        do throws(CertificateError) {
            return try CertificateAuthority.make(commonName: "APNs mock authority of PushProvider", now: now)
        } catch {
            throw .failed(error.description)
        }
    }

    /// For 397 days, less than the 825 that Apple's systems take at most.
    static func issue(
        from authority: CertificateAuthority, names: [String], now: Int64
    ) throws(MockCredentialsError) -> (certificatePEM: [UInt8], privateKeyPEM: [UInt8]) {
        do throws(CertificateError) {
            return try authority.issueServerCertificate(names: names, validDays: 397, now: now)
        } catch {
            throw MockCredentialsError(
                code: error.code == .badName ? .badName : .failed, description: error.description)
        }
    }
}

extension MockCredentialsError {
    static func failed(_ why: String) -> MockCredentialsError {
        MockCredentialsError(code: .failed, description: why)
    }
}
