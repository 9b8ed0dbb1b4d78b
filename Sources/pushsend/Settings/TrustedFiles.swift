import PushCommandLine
import PushPlatform
internal import PushWire

/// The project files that the user trusts: each with its path and the SHA-256 digest of its content, so that a changed
/// file must be trusted again. The list has the form of `sha256sum`.
struct TrustedFiles {
    let path: String

    /// - Throws: ``CommandFailure`` if there is no home folder.
    static var ofUser: TrustedFiles {
        get throws {
            guard let path = ConfigLocation.trustList else {
                throw CommandFailure.usage(
                    "HOME isn't set, so the path of the list of trusted files is unknown. Set XDG_STATE_HOME.")
            }
            return TrustedFiles(path: path)
        }
    }

    func trusts(_ config: ReadConfig) -> Bool {
        guard let entry = Self.entry(config) else { return false }
        return lines.contains(entry)
    }

    /// Adds a file, instead of its earlier content.
    func trust(_ config: ReadConfig) throws {
        guard let entry = Self.entry(config) else {
            throw CommandFailure(.ourFault, "The digest of \"\(config.path)\" can't be computed.")
        }
        try write(lines.filter { !Self.isOf(config, $0) } + [entry])
    }

    /// Removes a file.
    ///
    /// - Returns: Whether it was in the list.
    func distrust(_ config: ReadConfig) throws -> Bool {
        let (before, kept) = (lines, lines.filter { !Self.isOf(config, $0) })
        guard kept.count < before.count else { return false }
        try write(kept)
        return true
    }

    private static func entry(_ config: ReadConfig) -> String? {
        Fingerprint.of(config.bytes).map { "\($0)  \(escaped(config.absolutePath))" }
    }

    private static func isOf(_ config: ReadConfig, _ line: String) -> Bool {
        line.dropFirst(64).dropFirst(2) == escaped(config.absolutePath)
    }

    /// A path could contain a line break, and so another entry.
    private static func escaped(_ path: String) -> String {
        path.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    private var lines: [String] {
        var facts = stat()
        // A list that others can write says nothing about this user.
        guard stat(path, &facts) == 0, OtherWriters.problem(of: facts) == nil else { return [] }
        guard let bytes = try? PayloadFile.read(path) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func write(_ lines: [String]) throws {
        try ConfigStore.makeFolder(of: path)
        let text = lines.map { $0 + "\n" }.joined()
        let number = PrivateFile.replace(path, with: Array(text.utf8))
        if number != 0 { throw ConfigStore.unwritable(path, number) }
    }
}
