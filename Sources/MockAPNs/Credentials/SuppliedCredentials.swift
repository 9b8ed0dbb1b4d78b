import PushPlatform
import PushWire

/// Loads credentials from a folder that the mock did not create. `certs.example/make.sh` creates such a folder.
struct SuppliedCredentials {
    let folder: StateFolder

    private static let authorityFile = "ca.pem"
    private static let serverFile = "server.pem"
    private static let serverKeyFile = "server.key"
    private static let teamFile = "team-id.txt"

    func load() throws(MockCredentialsError) -> MockCredentials {
        let authority = try require(Self.authorityFile)
        guard (try? Certificate(pem: authority)) != nil else {
            throw unusable(Self.authorityFile, "it has no certificate in PEM format")
        }
        let keys = try signingKeys()
        guard let first = keys.first else {
            throw MockCredentialsError(
                .notSupplied,
                """
                There is no key for provider tokens in "\(folder.path)". Add one with its key id in its name, for example \
                AuthKey_ABC123DEFG.p8.
                """)
        }
        return try MockCredentials(
            .init(
                teamID: try teamID(), keyID: first.id, key: first.key,
                others: keys.dropFirst().map { (id: $0.id, key: $0.key.verifyingKey) }),
            authorityPEM: authority,
            authorityKeyPEM: nil,
            server: .init(certificate: try require(Self.serverFile), key: try require(Self.serverKeyFile)),
            files: .init(
                folder: folder.path, authority: folder.path(of: Self.authorityFile),
                p8: folder.path(of: "AuthKey_\(first.id).p8"))
        )
    }

    private func require(_ file: String) throws(MockCredentialsError) -> [UInt8] {
        if let contents = try folder.contents(of: file) { return contents }
        throw MockCredentialsError(
            .notSupplied,
            """
            There is no \(file) in "\(folder.path)". Use certs.example/make.sh to create a folder with all files that \
            the mock needs.
            """)
    }

    /// Returns the keys of all `AuthKey_<id>.p8` files, sorted by id.
    private func signingKeys() throws(MockCredentialsError) -> [(id: String, key: SigningKey)] {
        var keys: [(id: String, key: SigningKey)] = []
        for file in try folder.files() where file.hasPrefix("AuthKey_") && file.hasSuffix(".p8") {
            let id = String(file.dropFirst("AuthKey_".count).dropLast(".p8".count))
            guard Self.isID(id) else { throw unusable(file, "its name has no key id (10 letters and digits)") }
            guard var pem = try folder.contents(of: file) else { continue }
            defer { SecretBytes.wipe(&pem) }
            try rethrowing(keys.append((id, try SigningKey(pem: pem)))) { (error: KeyError) in
                unusable(file, error.description)
            }
        }
        return keys
    }

    private func teamID() throws(MockCredentialsError) -> String {
        let text = String(decoding: try require(Self.teamFile), as: UTF8.self)
        let id = text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        guard Self.isID(id) else { throw unusable(Self.teamFile, "a team id has 10 letters and digits") }
        return id
    }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private func unusable(_ file: String, _ why: String) -> MockCredentialsError {
        .unusableFile(folder.path(of: file), why)
    }
}
