import PushCommandLine
import PushPlatform
import PushProvider
import PushYAML

/// The two configuration files: that of the user, and that of the project in the current folder.
enum ConfigLocation: Sendable {
    case user
    case project

    static let projectFile = "pushsend.yaml"

    /// The path; `nil` if there is no home folder.
    var path: String? {
        switch self {
        case .project: Self.projectFile
        case .user: UserFolder.of("XDG_CONFIG_HOME", ".config").map { "\($0)/config.yaml" }
        }
    }

    /// The path for messages: `~` is the home folder.
    static func shown(_ path: String) -> String {
        guard let home = UserFolder.home, !home.isEmpty, path.hasPrefix("\(home)/") else { return path }
        return "~" + path.dropFirst(home.count)
    }

    /// The list of the project files that the user trusts.
    static var trustList: String? { stateFile("trusted") }

    /// A file of the user with this name, for what pushsend remembers.
    static func stateFile(_ name: String) -> String? {
        UserFolder.of("XDG_STATE_HOME", ".local/state").map { "\($0)/\(name)" }
    }

    /// Reads the file; `nil` if there is none.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitStatus/badConfiguration``.
    func read() throws -> ReadConfig? {
        // A folder without search permission counts as one without the file: a service may have the HOME of another.
        guard let path, access(path, F_OK) == 0 else { return nil }
        guard FileKind(path: path) == .file else {
            throw CommandFailure(
                .badConfiguration, "\"\(path)\" can't be read as a configuration file: it isn't a regular file.")
        }
        try refuseLink()
        let bytes: [UInt8]
        do {
            bytes = try PayloadFile.read(path)
        } catch let failure as CommandFailure {
            throw CommandFailure(.badConfiguration, failure.message)
        }
        let absolute = URL(filePath: AbsolutePath.of(path)).standardizedFileURL.path(percentEncoded: false)
        let shown = Self.shown(path)
        let reader = ConfigReader(
            file: shown, folder: URL(filePath: absolute).deletingLastPathComponent().path(percentEncoded: false),
            home: UserFolder.home)
        return try rethrowing(
            ReadConfig(path: shown, absolutePath: absolute, bytes: bytes, file: try reader.read(bytes))
        ) { (error: ConfigMistake) in CommandFailure(error) }
    }

    /// Refuses a project file that is a link: a cloned repository could show or change another file by it.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitStatus/badConfiguration``.
    func refuseLink() throws {
        var facts = stat()
        guard self == .project, lstat(Self.projectFile, &facts) == 0, facts.st_mode & S_IFMT == S_IFLNK else { return }
        throw CommandFailure(
            .badConfiguration,
            "\"\(Self.projectFile)\" is a link to another file. Replace it with a copy, or remove it.")
    }
}

/// The folders of the user who runs the program.
enum UserFolder {
    /// The home folder; empty if it is the root folder, and `nil` if there is none.
    static var home: String? { home(.ofProcess) }

    private static func home(_ variables: Variables) -> String? {
        guard let home = variables["HOME"], home.hasPrefix("/") else { return nil }
        return home == "/" ? "" : home
    }

    /// The folder of pushsend below the one that a variable names, otherwise below one in the home folder; `nil` if there is neither.
    static func of(_ variable: String, _ inHome: String, _ variables: Variables = .ofProcess) -> String? {
        if let folder = variables[variable], folder.hasPrefix("/") {
            return "\(folder)/pushsend"
        }
        return home(variables).map { "\($0)/\(inHome)/pushsend" }
    }
}

/// A configuration file with its bytes, so that the trusted bytes are those that were read.
struct ReadConfig: Sendable {
    /// The path for messages.
    var path: String
    var absolutePath: String
    var bytes: [UInt8]
    var file: ConfigFile

    /// Whether other users of the machine may read or change the file.
    var isOpenToOthers: Bool { mode & 0o077 != 0 }

    /// Whether any user of the machine may change the file.
    var isWritableByAnyone: Bool { mode & 0o002 != 0 }

    private var mode: UInt32 {
        var facts = stat()
        return stat(absolutePath, &facts) == 0 ? UInt32(facts.st_mode) : 0
    }
}

/// Makes paths absolute, so that they are valid in every folder.
enum AbsolutePath {
    static func of(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}

/// Writes configuration files, readable by their user only.
enum ConfigStore {
    /// Replaces a configuration file. A link of the user stays a link; a project file keeps its mode.
    static func write(_ text: String, to path: String, in location: ConfigLocation) throws {
        try location.refuseLink()
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        try makeFolder(of: target)
        var facts = stat()
        let mode = location == .project && stat(target, &facts) == 0 ? facts.st_mode & 0o777 : 0o600
        let number = PrivateFile.replace(target, with: Array(text.utf8), mode: mode)
        if number != 0 { throw unwritable(path, number) }
    }

    static func makeFolder(of path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(
                .cannotCreate, "The folder \"\(folder.printable)\" can't be created: check its owner and mode.")
        }
    }

    static func unwritable(_ path: String, _ number: Int32) -> CommandFailure {
        CommandFailure(
            .cannotCreate, "The file \"\(path.printable)\" can't be written: \(String(cString: strerror(number))).")
    }
}
