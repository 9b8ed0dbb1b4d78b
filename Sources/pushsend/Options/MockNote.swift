import MockAPNs
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// The file that a running mock writes to its state folder, so that other commands find it.
struct MockNote: Encodable {
    var host: String
    var port: Int
    var environment: String
    var processID: Int32
    /// The PEM file of the CA to trust. It is in the state folder.
    var authorityFile: String
    /// The key file for provider tokens, in the state folder. The ids of the key follow.
    var keyFile: String
    var keyID: String
    var teamID: String
    /// The port that manages the broadcast channels of the mock's environment.
    var channelsPort: Int?
    /// The address and the port of the API; `nil` if it is switched off.
    var consoleHost: String?
    var consolePort: Int?
    /// The access token of the API, if it needs one. Only its user can read the note.
    var accessToken: String?
    /// A random text that names this run of the mock. The API returns it, too.
    var instance: String?

    /// The address of the API; `nil` if it is switched off.
    var consoleURL: String? {
        consolePort.map { "http://\(PushEnvironment(host: consoleHost ?? "127.0.0.1", port: $0))" }
    }

    /// `host:port`, as in a command line.
    var endpoint: String { PushEnvironment(host: host, port: port).description }

    private static func path(_ folder: String) -> String { "\(folder)/running.json" }

    /// The maximum size of a note in bytes. A larger file is not one.
    private static let maximumBytes = 65_536

    /// Writes the note. The folder is locked, see ``StateFolderHold``.
    func leave(in folder: String) throws {
        // A new file, so that other users can never read the access token.
        let number = PrivateFile.replace(Self.path(folder), with: Array(try JSONEncoder().encode(self)))
        if number != 0 { throw CommandFailure.unwritable(stateFolder: folder, String(cString: strerror(number))) }
    }

    /// Removes the note of this process, but not that of another process.
    func remove(from folder: String) {
        guard let note = try? Self.read(folder), note.processID == processID, note.instance == instance else { return }
        Self.removeStale(from: folder)
    }

    /// Removes the note of a mock that was killed. The folder is locked.
    static func removeStale(from folder: String) {
        try? FileManager.default.removeItem(atPath: path(folder))
        SuppliedCopies.remove(from: folder)
    }

    /// Finds the running mock of a folder.
    ///
    /// A folder can come from a stranger, for example with a cloned repository. So a note is believed only while a mock of this user has
    /// the folder locked, and its key and CA only as files of the folder.
    ///
    /// - Parameter folder: The state folder.
    /// - Returns: The note of the mock.
    /// - Throws: ``CommandFailure`` if no mock is running there, or if other users may have written the note.
    static func ofRunningMock(on folder: String) throws -> MockNote {
        // The order matters: a mock that shows its lock has already removed the note of the previous mock.
        let isTaken = StateFolderHold.isTaken(folder)
        let note = try read(folder)
        guard isTaken else {
            throw CommandFailure(
                .cannotConnect,
                """
                The mock on \(note.endpoint.printable) is no longer running. It may have been killed. Restart it with \
                "pushsend mock".
                """)
        }
        return note
    }

    private static func read(_ folder: String) throws -> MockNote {
        var facts = stat()
        guard stat(folder, &facts) == 0 else { throw missing(folder) }
        if let problem = OtherWriters.problem(of: facts) {
            throw CommandFailure.untrusted(stateFolder: folder, problem)
        }
        let file = open(path(folder), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { throw missing(folder) }
        defer { close(file) }
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw missing(folder) }
        if let problem = OtherWriters.problem(of: facts) {
            throw CommandFailure.untrusted(stateFolder: folder, problem, file: path(folder))
        }
        var bytes = [UInt8](repeating: 0, count: maximumBytes)
        let count = systemRead(file, &bytes, bytes.count)
        guard count >= 0, var note = PushJSONValue(json: Array(bytes[..<count])).flatMap(MockNote.init) else {
            throw missing(folder)
        }
        note.authorityFile = try ownFile(note.authorityFile, in: folder)
        note.keyFile = try ownFile(note.keyFile, in: folder)
        return note
    }

    /// The path of a file of the folder, whatever folder the note names.
    private static func ownFile(_ path: String, in folder: String) throws -> String {
        let place = realPath(of: folder) ?? folder
        let file = "\(place == "/" ? "" : place)/\(path.split(separator: "/").last ?? "")"
        var facts = stat()
        // A file that is missing is reported when it is read.
        guard lstat(file, &facts) == 0 else { return file }
        let problem = facts.st_mode & S_IFMT == S_IFREG ? OtherWriters.problem(of: facts) : "it isn't a regular file"
        if let problem { throw CommandFailure.untrusted(stateFolder: folder, problem, file: file) }
        return file
    }

    private static func missing(_ folder: String) -> CommandFailure {
        // It is unknown what is in a folder without search permission.
        if access(path(folder), R_OK) != 0, errno == EACCES {
            return CommandFailure(
                .credentials, "The mock's state folder \"\(folder)\" can't be read: check its owner and mode.")
        }
        return CommandFailure(
            .cannotConnect,
            """
            No mock is running with the state folder "\(folder)". Start one in another terminal: \
            pushsend mock\(StateFolderOption.flag(for: folder))
            """)
    }
}

extension MockNote {
    fileprivate init?(_ json: PushJSONValue) {
        func text(_ name: String) -> String? {
            guard case .string(let text)? = json[name] else { return nil }
            return text
        }
        func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
            guard case .integer(let number)? = json[name] else { return nil }
            return Number(exactly: number)
        }
        guard let host = text("host"), let port: Int = number("port"), let environment = text("environment"),
            let processID: Int32 = number("processID"), let authorityFile = text("authorityFile"),
            let keyFile = text("keyFile"), let keyID = text("keyID"), let teamID = text("teamID")
        else { return nil }
        self.init(
            host: host, port: port, environment: environment, processID: processID, authorityFile: authorityFile,
            keyFile: keyFile, keyID: keyID, teamID: teamID,
            channelsPort: number("channelsPort"), consoleHost: text("consoleHost"), consolePort: number("consolePort"),
            accessToken: text("accessToken"), instance: text("instance"))
    }
}

/// Copies of the CA and the key of `--certs` in the state folder, where other commands look for them. They exist while the mock runs.
enum SuppliedCopies {
    private static let authority = "certs-ca.pem"
    private static let key = "certs-key.p8"

    /// - Returns: The paths of the copies.
    /// - Throws: ``CommandFailure`` if they cannot be written.
    static func make(_ credentials: MockCredentials, in folder: String) throws -> (authority: String, key: String) {
        func copy(_ text: String, _ name: String) throws -> String {
            let path = "\(AbsolutePath.of(folder))/\(name)"
            let number = PrivateFile.replace(path, with: Array(text.utf8))
            guard number == 0 else {
                throw CommandFailure.unwritable(stateFolder: folder, String(cString: strerror(number)))
            }
            return path
        }
        return (try copy(credentials.authority, authority), try copy(credentials.p8, key))
    }

    static func remove(from folder: String) {
        for name in [authority, key] { unlink("\(folder)/\(name)") }
    }
}
