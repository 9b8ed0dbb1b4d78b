import Foundation
import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite struct PushProviderKeyTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: What is fine

    @Test func `a key as Apple gives it signs, without warnings`() throws {
        let path = try folder.write(SigningKey.generate().pem(), to: "AuthKey_ABC123DEFG.p8")
        let key = try PushProviderKey(p8File: path, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        #expect(key.keyID == "ABC123DEFG")
        #expect(key.teamID == "DEF123GHIJ")
        #expect(key.warnings == [])
        #expect(try key.signingKey.sign("x".utf8).count == 64)
    }

    @Test func `the key id comes from the file's name`() throws {
        let path = try folder.write(SigningKey.generate().pem(), to: "authkey_abc123defg.p8")
        #expect(try PushProviderKey(p8File: path, teamID: "DEF123GHIJ").keyID == "ABC123DEFG")
        let nameless = try folder.write(SigningKey.generate().pem(), to: "push.p8")
        let error = #expect(throws: PushCredentialsError.self) {
            try PushProviderKey(p8File: nameless, teamID: "DEF123GHIJ")
        }
        #expect(error?.code == .badKeyID)
        #expect(error?.description.hasSuffix("give the key id, or give the file its name back.") == true)
    }

    @Test func `the text of a key is as good as its file`() throws {
        let signingKey = try SigningKey.generate()
        let key = try PushProviderKey.sample(signingKey)
        #expect(key.signingKey.fingerprint == signingKey.fingerprint)
        #expect(key.warnings == [])
    }

    @Test func `a key from memory is a text or bytes`() throws {
        let signingKey = try SigningKey.generate()
        let pem = try signingKey.pem()
        let text = try PushProviderKey(
            p8: String(decoding: pem, as: UTF8.self), keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        let data = try PushProviderKey(p8: Data(pem), keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        #expect(text.signingKey.fingerprint == signingKey.fingerprint)
        #expect(data.signingKey.fingerprint == signingKey.fingerprint)
    }

    @Test func `a path in the place of a key's text is recognised`() throws {
        let error = try #require(throws: PushCredentialsError.self) {
            try PushProviderKey(p8: "keys/AuthKey_ABC123DEFG.p8", keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        }
        #expect(error.code == .unusableKey)
        #expect(error.description.contains("use init(p8File:keyID:teamID:)."))
        let other = try #require(throws: PushCredentialsError.self) {
            try PushProviderKey(p8: "something secret", keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        }
        #expect(other.code == .unusableKey)
        #expect(!other.description.contains("something secret"))
    }

    // MARK: Bad files

    @Test(arguments: [
        ("pkcs8 -topk8 -in key.pem -passout pass:secret -out bad.p8", "is encrypted"),
        ("genrsa -out bad.p8 2048", "RSA"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out bad.p8", "P-384"),
        ("req -x509 -key key.pem -subj /CN=x -out bad.p8", "is a certificate"),
        ("pkey -in key.pem -pubout -out bad.p8", "public key"),
    ])
    func `a file that holds something else is named, and what it holds`(command: String, words: String) throws {
        try folder.write(SigningKey.generate().pem(), to: "key.pem")
        try folder.openssl(command)
        let error = try #require(problem(path: folder.path("bad.p8")))
        #expect(error.code == .unusableKey)
        #expect(error.description.hasPrefix("\"\(folder.path("bad.p8"))\" can't be used to sign: "))
        #expect(error.description.contains(words))
    }

    @Test func `a file that was cut off is recognised`() throws {
        let pem = try SigningKey.generate().pem()
        let error = try #require(problem(path: folder.write(pem.prefix(pem.count / 2), to: "bad.p8")))
        #expect(error.code == .unusableKey)
        #expect(error.description.contains("incomplete or damaged"))
    }

    @Test func `an empty file is recognised`() throws {
        let error = try #require(problem(path: folder.write([], to: "bad.p8")))
        #expect(error.code == .unusableKey)
        #expect(error.description.contains("The file is empty"))
    }

    @Test func `a file that is not there is named`() {
        let error = problem(path: folder.path("none.p8"))
        #expect(error?.code == .noSuchFile)
        #expect(error?.description == "There is no file \"\(folder.path("none.p8"))\": check the path.")
    }

    @Test func `a folder is no key`() {
        let path = String(folder.path("").dropLast())
        let error = problem(path: path)
        #expect(error?.code == .unreadableFile)
        #expect(error?.description == "\"\(path)\" is a folder, not a file.")
    }

    @Test func `a file far too large is not read`() throws {
        let path = folder.path("large.p8")
        try folder.write([], to: "large.p8")
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.truncate(atOffset: 5 << 20)
        try handle.close()
        let error = problem(path: path)
        #expect(error?.code == .unreadableFile)
        #expect(error?.description.contains("too large") == true)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `a file that may not be read says so`() throws {
        let path = try folder.write(SigningKey.generate().pem(), to: "closed.p8", mode: 0)
        let error = problem(path: path)
        #expect(error?.code == .unreadableFile)
        #expect(error?.description.contains("check its owner and mode") == true)
    }

    // MARK: Ids

    @Test(arguments: [
        ("ABC123DEF", "has 9 characters, not 10"), ("ABC123DEFGH", "has 11 characters, not 10"),
        ("", "has 0 characters, not 10"), ("ABC123DEF ", "has a character other than letters and digits"),
        ("ABC-123-DE", "has a character other than letters and digits"),
        ("ÄBC123DEFG", "has a character other than letters and digits"),
    ])
    func `an id that is not ten letters and digits says what it is`(id: String, words: String) throws {
        let pem = try SigningKey.generate().pem()
        let keyError = try #require(problem(pem: pem, keyID: id))
        #expect(keyError.code == .badKeyID)
        #expect(
            keyError.description
                == "The key id \"\(id)\" \(words): it is the ten characters in the name of AuthKey_XXXXXXXXXX.p8.")
        let teamError = try #require(problem(pem: pem, teamID: id))
        #expect(teamError.code == .badTeamID)
        #expect(
            teamError.description
                == "The team id \"\(id)\" \(words): it is ten characters, at developer.apple.com under Membership details."
        )
    }

    @Test func `an id in lower case is refused with the right one`() throws {
        let pem = try SigningKey.generate().pem()
        for error in [problem(pem: pem, keyID: "abc123defg"), problem(pem: pem, teamID: "aBC123DEFG")] {
            #expect(error?.description.contains("did you mean ABC123DEFG?") == true)
        }
    }

    @Test(arguments: ["ABC123DEFG", "ABCDEFGHIJ", "0123456789"])
    func `ten letters and digits are an id`(id: String) throws {
        let pem = try SigningKey.generate().pem()
        #expect(problem(pem: pem, keyID: id) == nil)
        #expect(problem(pem: pem, teamID: id) == nil)
    }

    @Test func `ids that have changed places are reported by the file's name`() throws {
        let path = try folder.write(SigningKey.generate().pem(), to: "AuthKey_ABC123DEFG.p8")
        let error = problem(path: path, keyID: "DEF123GHIJ", teamID: "ABC123DEFG")
        #expect(error?.code == .swappedIDs)
        #expect(
            error?.description == """
                Key id and team id are swapped: the file name has the key id ABC123DEFG, which was given as team id.
                """)
    }

    @Test func `the same id twice is no swap`() throws {
        let path = try folder.write(SigningKey.generate().pem(), to: "AuthKey_ABC123DEFG.p8")
        #expect(problem(path: path, keyID: "ABC123DEFG", teamID: "ABC123DEFG") == nil)
    }

    @Test(arguments: [
        ("/keys/AuthKey_ABC123DEFG.p8", "ABC123DEFG"), ("AuthKey_abc123defg.p8", "ABC123DEFG"),
        ("APNsAuthKey_ABC123DEFG.p8", "ABC123DEFG"), ("AuthKey_ABC123DEFG (1).p8", "ABC123DEFG"),
        ("AuthKey_ABC123DEFG-2.P8", "ABC123DEFG"), ("authkey_abc123defg copy.p8", "ABC123DEFG"),
        ("AuthKey_ABC123DEFGH.p8", nil),
        ("AuthKey_ABC123DEF.p8", nil), ("AuthKey_ABC123DEFG.pem", nil), ("ABC123DEFG.p8", nil), ("", nil),
        ("AuthKey_ABC123DEFG.p8/", "ABC123DEFG"), ("AuthKey_ABC123DEF-.p8", nil), ("AuthKey_.p8", nil),
        ("AuthKey_ABC123DEFG.p8/other.p8", nil),
        ("AuthKey_ABC123DEFG.p8.txt", "ABC123DEFG"), ("AuthKey_ABC123DEFG.txt", nil),
    ])
    func `the key id is read from the name that Apple gives the file`(path: String, id: String?) {
        #expect(PushProviderKey.keyID(inFileName: path) == id)
    }

    // MARK: Warnings

    @Test(arguments: [(0o644, true), (0o640, true), (0o604, true), (0o620, true), (0o600, false), (0o400, false)])
    func `a key that others may read is used with a warning`(mode: Int, warns: Bool) throws {
        let path = try folder.write(SigningKey.generate().pem(), to: "key.p8", mode: mode)
        let key = try PushProviderKey(p8File: path, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        #expect(key.warnings == (warns ? ["Other users can read \"\(path)\": run chmod 600."] : []))
    }

    /// Secrets that a cluster mounts are links; the mode of a link says nothing.
    @Test func `of a link it is the mode of the file that counts`() throws {
        try folder.write(SigningKey.generate().pem(), to: "closed.p8", mode: 0o600)
        try folder.write(SigningKey.generate().pem(), to: "open.p8", mode: 0o644)
        for (name, warns) in [("closed.p8", false), ("open.p8", true)] {
            let link = folder.path("link-\(name)")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path(name))
            let key = try PushProviderKey(p8File: link, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
            #expect(key.warnings.isEmpty == !warns, "\(name)")
        }
    }

    @Test func `a file named after another key is used with a warning`() throws {
        let path = try folder.write(SigningKey.generate().pem(), to: "AuthKey_ABC123DEFG.p8")
        let key = try PushProviderKey(p8File: path, keyID: "XYZ123DEFG", teamID: "DEF123GHIJ")
        #expect(
            key.warnings == [
                "The file name \"\(path)\" has the key id ABC123DEFG, but the given key id is XYZ123DEFG."
            ])
    }

    // MARK: Secrets

    @Test func `a key's description says its ids and nothing else`() throws {
        let key = try PushProviderKey.sample()
        #expect("\(key)" == "key ABC123DEFG of team DEF123GHIJ")
        #expect(String(reflecting: key) == "key ABC123DEFG of team DEF123GHIJ")
        var dumped = ""
        dump(PushCredentials.token(key), to: &dumped)
        let secret = try secretPieces(of: key.signingKey.pem())
        #expect(!secret.contains { dumped.contains($0) || "\(PushCredentials.token(key))".contains($0) })
    }

    @Test func `no error about a path shows the beginning of a key, short as it is`() throws {
        let pem = try SigningKey.generate().pem()
        for count in [60, 92] {
            let beginning = String(decoding: pem.prefix(count), as: UTF8.self)
            let body = String(beginning.split(separator: "\n").last ?? "")
            let error = try #require(problem(path: beginning))
            #expect(!error.description.contains(body), "\(error)")
        }
    }

    @Test func `no error shows any of the key, wherever it was put by mistake`() throws {
        let pem = try SigningKey.generate().pem()
        let text = String(decoding: pem, as: UTF8.self)
        let oneLine = text.replacing("\n", with: "")
        let bare = text.split(separator: "\n").dropFirst().dropLast().joined()
        let base64 = Data(pem).base64EncodedString()
        let secret = secretPieces(of: pem) + secretPieces(of: Array(base64.utf8))
        for misplaced in [text, oneLine, bare, base64, text.replacing("\n", with: "\\n")] {
            let errors = try [
                #require(problem(path: misplaced)),
                #require(problem(pem: pem, keyID: misplaced)),
                #require(problem(pem: pem, teamID: misplaced)),
                #require(problem(pem: Array(misplaced.utf8.dropLast(20)))),
            ]
            for error in errors {
                #expect(!secret.contains { error.description.contains($0) }, "\(error)")
            }
        }
    }

    /// Every run of 12 characters of the key's own part; what all keys begin with is no secret.
    private func secretPieces(of file: [UInt8]) -> [String] {
        let text = String(decoding: file, as: UTF8.self)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let body = Array(lines.joined().dropFirst(48).dropLast(12))
        return (0..<max(0, body.count - 12)).map { String(body[$0..<($0 + 12)]) }
    }

    private func problem(
        path: String, keyID: String = "ABC123DEFG", teamID: String = "DEF123GHIJ"
    ) -> PushCredentialsError? {
        do throws(PushCredentialsError) {
            _ = try PushProviderKey(p8File: path, keyID: keyID, teamID: teamID)
            return nil
        } catch {
            return error
        }
    }

    private func problem(
        pem: [UInt8], keyID: String = "ABC123DEFG", teamID: String = "DEF123GHIJ"
    ) -> PushCredentialsError? {
        do throws(PushCredentialsError) {
            _ = try PushProviderKey(p8: pem, keyID: keyID, teamID: teamID)
            return nil
        } catch {
            return error
        }
    }
}
