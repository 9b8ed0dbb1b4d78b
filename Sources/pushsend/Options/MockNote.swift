internal import PushJSON
import PushPlatform
import PushProvider

/// The file that a running mock writes to its state folder, so that other commands find it.
struct MockNote: Encodable {
    var host: String
    var port: Int
    var environment: String
    var processID: Int32
    /// The PEM file of the CA to trust.
    var authorityFile: String
    /// The key file for provider tokens. The ids of the key follow.
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

    /// Writes the note. The folder is locked, see ``StateFolderHold``.
    func leave(in folder: String) throws {
        // A new file, so that other users can never read the access token.
        let path = Self.path(folder)
        let new = "\(path).\(processID)"
        guard
            FileManager.default.createFile(
                atPath: new, contents: try JSONEncoder().encode(self), attributes: [.posixPermissions: 0o600]),
            rename(new, path) == 0
        else { throw CommandFailure.unwritable(stateFolder: folder) }
    }

    /// Removes the note of this process, but not that of another process.
    func remove(from folder: String) {
        guard let note = try? Self.read(folder), note.processID == processID, note.instance == instance else { return }
        try? FileManager.default.removeItem(atPath: Self.path(folder))
    }

    /// Removes the note of a mock that was killed. The folder is locked.
    static func removeStale(from folder: String) {
        try? FileManager.default.removeItem(atPath: path(folder))
    }

    static func read(_ folder: String) throws -> MockNote {
        guard let data = try? Data(contentsOf: URL(filePath: path(folder))),
            let note = PushJSONValue(json: Array(data)).flatMap(MockNote.init)
        else { throw missing(folder) }
        return note
    }

    private static func missing(_ folder: String) -> CommandFailure {
        // It is unknown what is in a folder without search permission.
        if access(path(folder), R_OK) != 0, errno == EACCES {
            return CommandFailure(
                status: .credentials,
                message: "The mock's state folder \"\(folder)\" cannot be read: check its owner and mode.")
        }
        return CommandFailure(
            status: .cannotConnect,
            message: """
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
