import APNSVocabulary
import PushCommandLine
import PushPlatform
import PushYAML

/// The configuration file: where it is, and whether it can be trusted.
struct ConfigFile: Equatable, Sendable {
    /// The path as it is shown in messages.
    let path: String

    /// How large the file may be: 8 MiB are some ten thousand apps.
    static let limits = YAMLLimits(bytes: 8 << 20, aliases: 1000)

    /// The paths of the file if no path is given. The first file that exists is read.
    static let defaultPaths = ["pushserve.yaml", "/etc/pushserve/pushserve.yaml"]

    /// Chooses the file to read.
    ///
    /// - Parameters:
    ///   - option: The value of `--config`.
    ///   - variables: The environment.
    /// - Returns: The file; `nil` if there is none.
    static func chosen(option: String?, _ variables: Variables) -> ConfigFile? {
        if let path = option ?? variables[set: "PUSHSERVE_CONFIG"] { return ConfigFile(path: path) }
        return defaultPaths.first { access($0, F_OK) == 0 }.map { ConfigFile(path: $0) }
    }

    /// The folder that relative paths in the file begin at.
    var folder: String {
        let absolute = ConfigValue.path(path, in: FileManager.default.currentDirectoryPath)
        return String(absolute[..<(absolute.lastIndex(of: "/") ?? absolute.startIndex)])
    }

    /// Whether every user of the machine can read the file.
    var isReadableByAll: Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & 0o004 != 0
    }

    /// Reads the file.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read, or if others can change it.
    func read() throws(CommandFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(errno) }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw unreadable(errno) }
        try refuseOtherWriters(facts)
        do throws(SmallFile.Failure) {
            let size = Int(clamping: facts.st_size)
            return FileText.utf8(try SmallFile.read(descriptor, Self.limits.bytes + 1, expected: size))
        } catch {
            guard case .unreadable(let number) = error else { throw unreadable(EIO) }
            throw unreadable(number)
        }
    }

    /// A person who can change the file can send pushes elsewhere, with other keys.
    private func refuseOtherWriters(_ facts: stat) throws(CommandFailure) {
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure(
                .badConfiguration,
                "\"\(path.printable)\" isn't a regular file. Give the path of the configuration file.")
        }
        guard facts.st_mode & 0o022 == 0 else {
            throw CommandFailure(
                .badConfiguration,
                """
                \(path.printable): Other users can change this file. Remove the permission: \
                chmod go-w \(path.printable)
                """)
        }
        guard facts.st_uid == geteuid() || facts.st_uid == 0 else {
            throw CommandFailure(
                .badConfiguration,
                """
                \(path.printable): The file belongs to the user \(facts.st_uid), who can change it. It must belong to root or to the \
                user \(geteuid()), who runs pushserve.
                """)
        }
    }

    private func unreadable(_ error: Int32) -> CommandFailure {
        if error == ENOENT || error == ENOTDIR {
            return CommandFailure(
                .noSuchFile,
                "There is no configuration file \"\(path.printable)\". Correct --config or PUSHSERVE_CONFIG.")
        }
        return CommandFailure(
            .noSuchFile,
            """
            The configuration file "\(path.printable)" can't be read: \(String(cString: strerror(error))). Change its owner or mode.
            """)
    }
}
