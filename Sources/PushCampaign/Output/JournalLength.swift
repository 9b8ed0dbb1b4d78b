/// The file `journal.length`: how long the journal was when it last said that lines may go out.
///
/// It is written after the journal and is never ahead of it. So a journal that is shorter was cut, or is an older copy, and does not
/// know of lines that went out since.
struct JournalLength: Sendable {
    private let file: OutputFile

    /// The same number of digits each time, so that writing over it needs no room on the disk.
    private static let digits = 20

    init(_ path: String) throws(SystemError) {
        file = try OutputFile(path)
    }

    var path: String { file.path }

    /// `nil` where it says nothing.
    var bytes: Int? {
        guard let text = try? file.contents(atMost: Self.digits), text.count == Self.digits else { return nil }
        return Int(String(decoding: text, as: UTF8.self))
    }

    /// Without it, less is noticed, and nothing is wrong: so it does not stop a campaign.
    func note(_ bytes: Int) {
        let number = String(bytes)
        let text = String(repeating: "0", count: max(0, Self.digits - number.count)) + number + "\n"
        try? file.write(Array(text.utf8), at: 0)
    }

    func clear() throws(SystemError) {
        try file.truncate(to: 0)
    }
}
