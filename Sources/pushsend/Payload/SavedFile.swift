import PushPlatform
import PushProvider

/// The output of `--save`: a file, or standard output.
struct SavedFile {
    let path: String
    /// Whether an existing file may be overwritten.
    let replaces: Bool

    /// - Throws: ``CommandFailure`` with 73 if it cannot be created, and 74 if it cannot be written.
    func write(_ text: [UInt8]) throws {
        if path == "-" {
            Output.offer(json: text)
            return
        }
        // This also detects a file that another process creates at the same moment.
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL)
        let file = open(path, flags, 0o644)
        guard file >= 0 else { throw cannotBeMade(errno) }
        let error = Self.write(text, to: file)
        guard close(file) == 0, error == 0 else { throw cannotBeWritten(error == 0 ? errno : error) }
    }

    static func write(_ text: [UInt8], to file: Int32) -> Int32 {
        var rest = text[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return count < 0 ? errno : EIO
            }
        }
        return 0
    }

    private func cannotBeMade(_ error: Int32) -> CommandFailure {
        let message =
            error == EEXIST
            ? "The file \"\(shown)\" exists already: give another name, or --force to overwrite it."
            : "The file \"\(shown)\" cannot be created (\(String(cString: strerror(error)))): give another path."
        return CommandFailure(status: .cannotCreate, message: message)
    }

    private func cannotBeWritten(_ error: Int32) -> CommandFailure {
        CommandFailure(
            status: .cannotWrite,
            message: "The file \"\(shown)\" cannot be written (\(String(cString: strerror(error)))).")
    }

    private var shown: String { path.printable }
}
