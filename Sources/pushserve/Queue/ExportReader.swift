import APNSVocabulary
import PushCommandLine
import PushPlatform
import PushQueue
import PushWire

/// Reads the file of an export, with little memory for any number of lines.
struct ExportReader {
    let path: String
    let head: ExportLine.Head
    private var lines: FileLines
    /// How many lines behind the first one are left out, because they are stored.
    private let done: Int
    /// How many lines were read behind the first one.
    private var position = 0
    /// How many of them the batches so far have.
    private var end: Int
    /// The payloads that several jobs have, by their numbers, which begin again at 0.
    private var payloads: [Int64: [UInt8]] = [:]
    /// A row that belongs to the next batch.
    private var next: ExportRow?

    /// How many rows a batch has at most.
    private static let maximumRows = 4000
    /// How long the lines of a batch are together, in bytes. The last one may make it longer.
    private static let maximumBytes = 4 << 20

    /// - Parameters:
    ///   - path: The file.
    ///   - done: How many lines behind the first one are left out.
    /// - Throws: ``CommandFailure`` if the file cannot be read, or is something else.
    init(_ path: String, after done: Int = 0) throws(CommandFailure) {
        (self.path, self.done, end) = (path, done, done)
        guard path != "-" else {
            throw .usage("An import reads its file several times: give the name of a file instead of \"-\".")
        }
        lines = try FileLines(path)
        guard let line = try lines.next(), let head = ExportLine.head(line) else {
            throw CommandFailure(
                .invalidInput,
                """
                \(path.printable) isn't the file of an export, or it is of another version. Give a file that pushserve queue export has \
                written.
                """)
        }
        self.head = head
    }

    /// Reads the whole file, and compares its last line with it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - goesOn: Is asked before each line.
    /// - Returns: How many lines each part has, and all of them together; `nil` if it was stopped.
    /// - Throws: ``CommandFailure`` if the file cannot be read, or is cut off or damaged.
    static func verify(
        _ path: String, while goesOn: () -> Bool = { true }
    ) throws(CommandFailure) -> (counts: [ExportPart: Int], lines: Int)? {
        var lines = try FileLines(path)
        let digest = RunningFingerprint()
        var count = -1
        while let line = try lines.next() {
            guard goesOn() else { return nil }
            if line.starts(with: ExportLine.Foot.start), let foot = ExportLine.foot(line) {
                guard try lines.isAtEnd(), digest.finish() == foot.digest, foot.counts.values.reduce(0, +) == count
                else { break }
                return (foot.counts, count)
            }
            count += 1
            line.withUnsafeBytes { digest.add($0) }
        }
        throw CommandFailure(
            .invalidInput,
            """
            \(path.printable) is cut off or damaged: its last line doesn't fit the others. None of it was imported \
            now. The queue is still sealed: remove the file, and write it again with pushserve queue export.
            """)
    }

    /// The next batch, of one part; `nil` at the end.
    mutating func batch() throws(CommandFailure) -> ImportBatch? {
        var (batch, bytes): (ImportBatch?, Int) = (nil, 0)
        while bytes < Self.maximumBytes, (batch?.rows.count ?? 0) < Self.maximumRows {
            if next == nil { next = try row(&bytes) }
            guard let row = next else { break }
            if batch == nil {
                batch = ImportBatch(of: head.export, sealed: head.sealed, row.part, [], from: end, to: end)
            }
            guard batch?.part == row.part else { break }
            next = nil
            end = position
            batch?.rows.append(row)
            batch?.end = end
        }
        return batch
    }

    /// The next row that is not a payload; `nil` at the end.
    private mutating func row(_ bytes: inout Int) throws(CommandFailure) -> ExportRow? {
        while let line = try lines.next() {
            // Of the lines that are stored, only the payloads are read: later jobs may have them.
            if position < done, !line.starts(with: Self.payloadStart) {
                position += 1
                continue
            }
            guard var row = ExportLine.row(line) else {
                guard ExportLine.foot(line) != nil else { throw unreadable() }
                return nil
            }
            position += 1
            bytes += line.count
            if row.part == .payload {
                remember(row)
                continue
            }
            if let number = row["payload_number"].number {
                guard let body = payloads[number] else { throw unreadable() }
                row["payload"] = .bytes(body)
            }
            return row
        }
        return nil
    }

    private static let payloadStart = Array(#"{"type":"payload""#.utf8)

    private mutating func remember(_ row: ExportRow) {
        guard let number = row["number"].number, let body = row["body"].bytes else { return }
        if number == 0 { payloads = [:] }
        payloads[number] = body
    }

    private func unreadable() -> CommandFailure {
        CommandFailure(
            .invalidInput,
            """
            Line \(position + 2) of \(path.printable) is none that this version knows. Use the version that wrote the file.
            """)
    }
}

/// The lines of a file, with their ends.
private struct FileLines {
    private let file: Descriptor
    private let path: String
    private var buffer: [UInt8] = []
    private var start = 0

    /// How much is read at once, in bytes.
    private static let chunk = 1 << 20
    /// How long a line may be, in bytes. A longer one is none that an export has, and the file ends before it.
    private static let longest = 64 << 20

    private final class Descriptor {
        let number: Int32
        init(_ number: Int32) { self.number = number }
        deinit { close(number) }
    }

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw Self.unreadable(path) }
        file = Descriptor(number)
    }

    /// Whether no byte follows the lines so far.
    mutating func isAtEnd() throws(CommandFailure) -> Bool {
        guard start == buffer.count else { return false }
        return try !fill()
    }

    /// The next line; `nil` at the end. A last line without its end is left out: the file is cut off.
    mutating func next() throws(CommandFailure) -> [UInt8]? {
        var searched = start
        while true {
            let from = searched
            let end = buffer.withUnsafeBytes { bytes -> Int? in
                guard let base = bytes.baseAddress, from < bytes.count else { return nil }
                return memchr(base + from, Int32(UInt8(ascii: "\n")), bytes.count - from).map { base.distance(to: $0) }
            }
            if let end {
                defer { start = end + 1 }
                return Array(buffer[start...end])
            }
            buffer.removeSubrange(..<start)
            (searched, start) = (buffer.count, 0)
            guard buffer.count < Self.longest, try fill() else { return nil }
        }
    }

    private mutating func fill() throws(CommandFailure) -> Bool {
        var count = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunk) { bytes, filled in
            repeat { count = systemRead(file.number, bytes.baseAddress, bytes.count) } while count < 0 && errno == EINTR
            filled = max(count, 0)
        }
        guard count >= 0 else { throw Self.unreadable(path) }
        buffer += chunk
        return count > 0
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        CommandFailure(
            errno == ENOENT ? .noSuchFile : .invalidInput,
            "\(path.printable) can't be read: \(String(cString: strerror(errno))).")
    }
}
