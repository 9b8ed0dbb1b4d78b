/// The file `journal.length`: the size of the journal when it last allowed lines to be sent.
///
/// It is written after the journal, so it is never ahead of it. A shorter journal was truncated or is an older copy,
/// and does not have the lines that were sent since.
struct JournalLength: Sendable {
    private let file: OutputFile

    /// Always the same number of digits, so that overwriting needs no disk space.
    private static let digits = 20

    init(_ path: String) throws(SystemError) {
        file = try OutputFile(path)
    }

    var path: String { file.path }

    /// The stored size; `nil` if the file has none.
    var bytes: Int? {
        guard let text = try? file.contents(atMost: Self.digits), text.count == Self.digits else { return nil }
        return Int(String(decoding: text, as: UTF8.self))
    }

    /// Stores the size. An error does not stop a campaign: without the size, only less damage is detected.
    func note(_ bytes: Int) {
        let number = String(bytes)
        let text = String(repeating: "0", count: max(0, Self.digits - number.count)) + number + "\n"
        try? file.write(Array(text.utf8), at: 0)
    }

    func clear() throws(SystemError) {
        try file.truncate(to: 0)
    }
}
