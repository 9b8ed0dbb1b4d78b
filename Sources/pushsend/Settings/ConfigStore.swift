import PushPlatform
import PushProvider

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
                status: .cannotCreate,
                message: "The folder \"\(folder.printable)\" cannot be created: check its owner and mode.")
        }
    }

    static func unwritable(_ path: String, _ number: Int32) -> CommandFailure {
        CommandFailure(
            status: .cannotCreate,
            message: "The file \"\(path.printable)\" cannot be written: \(String(cString: strerror(number))).")
    }
}
