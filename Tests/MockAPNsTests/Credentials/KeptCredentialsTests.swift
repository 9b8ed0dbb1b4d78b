import APNSVocabulary
import Foundation
import MockAPNs
import PushWire
import TestSupport
import Testing

@Suite struct KeptCredentialsTests {
    /// 1 January 2026, 00:00 UTC.
    let now: Int64 = 1_767_225_600
    let day: Int64 = 86400
    let files = ["ca.pem", "ca-key.pem", "server.pem", "server-key.pem", "AuthKey_MOCKKEY123.p8"]

    @Test func `the first start makes a folder that only its owner may enter`() throws {
        let temporary = try TemporaryFolder()
        let credentials = try kept(temporary, "deep/er/state")
        #expect(try temporary.files(in: "deep/er/state") == Set(files + [".lock"]))
        for folder in ["deep", "deep/er", "deep/er/state"] { #expect(try temporary.mode(of: folder) == 0o700) }
        for (file, mode) in zip(files, [0o644, 0o600, 0o644, 0o600, 0o600]) {
            #expect(try temporary.mode(of: "deep/er/state/\(file)") == mode, "\(file)")
        }
        #expect(credentials.files?.folder == temporary.path("deep/er/state"))
        #expect(credentials.files?.authority == temporary.path("deep/er/state/ca.pem"))
        #expect(credentials.files?.p8 == temporary.path("deep/er/state/AuthKey_MOCKKEY123.p8"))
        #expect(try temporary.text("deep/er/state/ca.pem") == credentials.authority)
        #expect(try temporary.text("deep/er/state/AuthKey_MOCKKEY123.p8") == credentials.p8)
    }

    @Test func `the next start takes the same credentials`() throws {
        let temporary = try TemporaryFolder()
        let first = try kept(temporary)
        // A slash more changes nothing, nor does a day.
        let second = try kept(temporary, "state/", now: now + day)
        #expect(second.authority == first.authority)
        #expect(second.p8 == first.p8)
        #expect(second.server.certificate == first.server.certificate)
        #expect(second.server.key == first.server.key)
        #expect(second.files == first.files)
        #expect(second.verifyingKey.fingerprint == first.verifyingKey.fingerprint)
    }

    @Test func `a new name gets a new server certificate from the same authority`() throws {
        let temporary = try TemporaryFolder()
        let first = try kept(temporary)
        let second = try kept(temporary, names: ["mock.example"])
        #expect(second.authority == first.authority)
        #expect(second.p8 == first.p8)
        #expect(second.server.certificate != first.server.certificate)
        let server = try Certificate(pem: second.server.certificate)
        #expect(server.covers("mock.example") && server.covers(APNSHost.production))
        #expect(server.fits(privateKeyPEM: second.server.key))
        try #expect(server.isIssued(by: authority(in: temporary)))
        // Without the name again, it still does.
        #expect(try kept(temporary).server.certificate == second.server.certificate)
    }

    @Test func `a server certificate is made again in its last week`() throws {
        let temporary = try TemporaryFolder()
        let first = try kept(temporary)
        let end = try Certificate(pem: first.server.certificate).validity.upperBound
        #expect(try kept(temporary, now: end - 8 * day).server.certificate == first.server.certificate)
        let second = try kept(temporary, now: end - 6 * day)
        #expect(second.server.certificate != first.server.certificate)
        #expect(second.authority == first.authority)
        #expect(try Certificate(pem: second.server.certificate).validity.upperBound > end)
        // A clock that went back makes it again too.
        #expect(try kept(temporary, now: now + day).server.certificate != second.server.certificate)
    }

    @Test func `an authority at the end of its time, or before it, is an error`() throws {
        let temporary = try TemporaryFolder()
        _ = try kept(temporary)
        let end = try authority(in: temporary).validity.upperBound
        #expect(problem(temporary, now: end - 6 * day)?.code == .authorityNotInForce)
        #expect(problem(temporary, now: end - 8 * day) == nil)
        let early = try #require(problem(temporary, now: now - day))
        #expect(early.code == .authorityNotInForce)
        #expect(early.description.contains("clock"))
    }

    @Test(arguments: ["ca.pem", "ca-key.pem", "AuthKey_MOCKKEY123.p8"], ["", "half", "rubbish", "folder", "huge"])
    func `a damaged file that clients depend on is named, with the way out`(file: String, kind: String) throws {
        let temporary = try TemporaryFolder()
        _ = try kept(temporary)
        let whole = try temporary.text("state/\(file)")
        switch kind {
        case "half": try temporary.write(String(whole.prefix(whole.count / 2)), to: "state/\(file)")
        case "rubbish": try temporary.write("rubbish", to: "state/\(file)")
        case "huge": try temporary.write(String(repeating: "A", count: 2 << 20), to: "state/\(file)")
        case "folder":
            try temporary.remove("state/\(file)")
            try FileManager.default.createDirectory(
                atPath: temporary.path("state/\(file)"), withIntermediateDirectories: false)
        default: try temporary.write("", to: "state/\(file)")
        }
        let error = try #require(problem(temporary))
        #expect(error.code == .damagedFile)
        #expect(error.description.contains(temporary.path("state/\(file)")))
        #expect(error.description.contains("Delete the folder \(temporary.path("state")) "))
        try temporary.remove("state")
        #expect(problem(temporary) == nil)
    }

    @Test func `halves of two authorities are named`() throws {
        let temporary = try TemporaryFolder()
        _ = try kept(temporary, "one")
        _ = try kept(temporary, "two")
        try temporary.write(temporary.text("two/ca-key.pem"), to: "one/ca-key.pem")
        let error = try #require(problem(temporary, "one"))
        #expect(error.code == .damagedFile)
        #expect(error.description.contains("ca-key.pem"))
    }

    @Test(arguments: ["server.pem", "server-key.pem"], ["", "rubbish", nil, "other"])
    func `a server pair that is not whole is made again, as clients need not know`(
        file: String, contents: String?
    ) throws {
        let temporary = try TemporaryFolder()
        let first = try kept(temporary)
        _ = try kept(temporary, "other")
        switch contents {
        case nil: try temporary.remove("state/\(file)")
        case "other": try temporary.write(temporary.text("other/\(file)"), to: "state/\(file)")
        case let text?: try temporary.write(text, to: "state/\(file)")
        }
        let second = try kept(temporary)
        let server = try Certificate(pem: second.server.certificate)
        #expect(server.fits(privateKeyPEM: second.server.key))
        try #expect(server.isIssued(by: authority(in: temporary)))
        #expect(second.authority == first.authority)
        #expect(second.p8 == first.p8)
        #expect(try kept(temporary).server.certificate == second.server.certificate)
    }

    @Test func `a server pair of another authority is made again`() throws {
        let temporary = try TemporaryFolder()
        _ = try kept(temporary)
        _ = try kept(temporary, "other")
        for file in ["server.pem", "server-key.pem"] {
            try temporary.write(temporary.text("other/\(file)"), to: "state/\(file)")
        }
        let server = try Certificate(pem: kept(temporary).server.certificate)
        try #expect(server.isIssued(by: authority(in: temporary)))
    }

    @Test func `an authority of which half is missing is an error, and never replaced unasked`() throws {
        let temporary = try TemporaryFolder()
        for file in ["ca.pem", "ca-key.pem"] {
            _ = try kept(temporary, file)
            try temporary.remove("\(file)/\(file)")
            let error = try #require(problem(temporary, file))
            #expect(error.code == .missingFile)
            #expect(error.description.contains(temporary.path("\(file)/\(file)")))
        }
    }

    /// The files in the order of writing: a start may end, without a word, after any of them.
    @Test func `a first start that was interrupted anywhere is finished by the next`() throws {
        let order = ["ca-key.pem", "ca.pem", "AuthKey_MOCKKEY123.p8", "server-key.pem", "server.pem"]
        let temporary = try TemporaryFolder()
        for count in 0...order.count {
            let state = "state\(count)"
            _ = try kept(temporary, state)
            for file in order[count...] { try temporary.remove("\(state)/\(file)") }
            try temporary.write("half", to: "\(state)/.ca.pem.new")
            let authority = count > 1 ? try temporary.text("\(state)/ca.pem") : nil
            let credentials = try kept(temporary, state)
            #expect(
                try Certificate(pem: credentials.server.certificate).fits(privateKeyPEM: credentials.server.key))
            if let authority { #expect(credentials.authority == authority) }
            #expect(try kept(temporary, state).server.certificate == credentials.server.certificate)
        }
    }

    @Test func `starts at the same time on one folder get the same credentials`() async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.path("state")
        let now = now
        let all = try await withThrowingTaskGroup { group in
            for _ in 0..<12 { group.addTask { try MockCredentials.kept(in: folder, names: [], now: now) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all.count == 12)
        #expect(Set(all.map(\.authority)).count == 1)
        #expect(Set(all.map(\.p8)).count == 1)
        #expect(Set(all.map(\.server.key)).count == 1)
        #expect(Set(all.map(\.server.certificate)).count == 1)
    }

    @Test func `a folder that another start holds is waited for, and then named`() throws {
        let temporary = try TemporaryFolder()
        let first = try kept(temporary)
        let lock = open(temporary.path("state/.lock"), O_RDWR)
        try #require(flock(lock, LOCK_EX) == 0)
        #expect {
            try MockCredentials.kept(in: temporary.path("state"), names: [], now: now, patience: 0)
        } throws: {
            let error = $0 as? MockCredentialsError
            return error?.code == .busy && error?.description.contains(temporary.path("state")) == true
        }
        // The system takes it back when its holder ends.
        close(lock)
        #expect(try kept(temporary).server.key == first.server.key)
    }

    @Test func `a folder that cannot be is named`() throws {
        let temporary = try TemporaryFolder()
        try temporary.write("", to: "file")
        for folder in ["file", "file/below"] {
            let error = try #require(problem(temporary, folder))
            #expect(error.code == .unusableFolder)
            #expect(error.description.contains(temporary.path("file")))
        }
        for path in ["", temporary.path("with") + "\0nul"] {
            #expect { try MockCredentials.kept(in: path) } throws: {
                ($0 as? MockCredentialsError)?.code == .unusableFolder
            }
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a folder that may not be written is named`() throws {
        let temporary = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: temporary.path(""))
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: temporary.path("")) }
        for folder in ["", "state"] {
            let error = try #require(problem(temporary, folder))
            #expect(error.code == .unusableFolder)
            #expect(error.description.contains("ermission denied"))
        }
    }

    @Test func `no sentence shows any of a key`() throws {
        let temporary = try TemporaryFolder()
        _ = try kept(temporary)
        let text = try temporary.text("state/ca-key.pem")
        let secret = text.split(separator: "\n")[1].prefix(8)
        for contents in [String(text.dropLast(40)), text.replacing("\n", with: ""), text + text] {
            try temporary.write(contents, to: "state/ca-key.pem")
            #expect(problem(temporary)?.description.contains(secret) != true)
        }
    }

    private func kept(
        _ temporary: TemporaryFolder, _ folder: String = "state", names: [String] = [], now: Int64? = nil
    ) throws(MockCredentialsError) -> MockCredentials {
        try MockCredentials.kept(in: temporary.path(folder), names: names, now: now ?? self.now)
    }

    private func problem(
        _ temporary: TemporaryFolder, _ folder: String = "state", now: Int64? = nil
    ) -> MockCredentialsError? {
        do throws(MockCredentialsError) {
            _ = try kept(temporary, folder, now: now)
            return nil
        } catch {
            return error
        }
    }

    private func authority(in temporary: TemporaryFolder) throws -> CertificateAuthority {
        try CertificateAuthority(
            certificatePEM: Array(temporary.text("state/ca.pem").utf8),
            privateKeyPEM: Array(temporary.text("state/ca-key.pem").utf8))
    }
}
