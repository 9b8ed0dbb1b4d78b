import PushPlatform

/// A file that only its user may read.
enum PrivateFile {
    /// Replaces the file atomically: writes a temporary file in the same folder and renames it.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - bytes: Its new content.
    ///   - mode: Its mode. For a file of a project, pass its previous mode.
    /// - Returns: 0, or the `errno` of the system. After an error the old content is kept.
    static func replace(_ path: String, with bytes: [UInt8], mode: mode_t = 0o600) -> Int32 {
        let new = "\(path).new"
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { return errno }
        var number = SavedFile.write(bytes, to: file)
        if close(file) != 0, number == 0 { number = errno }
        if number == 0, rename(new, path) != 0 { number = errno }
        if number != 0 { unlink(new) }
        return number
    }
}
