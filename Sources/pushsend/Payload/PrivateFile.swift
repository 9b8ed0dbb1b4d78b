#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that only its user may read.
enum PrivateFile {
    /// Writes it beside its place and moves it there, so that nobody ever reads half of it.
    ///
    /// - Returns: 0, or the number of the system's error; what was there before stays then.
    static func replace(_ path: String, with bytes: [UInt8]) -> Int32 {
        let new = "\(path).new"
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return errno }
        var number = SavedFile.write(bytes, to: file)
        if close(file) != 0, number == 0 { number = errno }
        if number == 0, rename(new, path) != 0 { number = errno }
        if number != 0 { unlink(new) }
        return number
    }
}
