/// Where the lines of a campaign come from. One task reads it.
protocol BatchRows: Sendable {
    /// Where the next line begins.
    var position: InputPosition { get }
    /// Whether it can begin elsewhere than at the first line.
    var canSeek: Bool { get }

    /// Goes to a place that was reached in an earlier run.
    mutating func seek(_ position: InputPosition) async throws

    /// Gives only so many lines from now on, chosen by chance.
    mutating func choose(
        _ count: Int, seed: UInt128, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws

    /// The next lines, as notifications that know their rows; fewer than asked for where more would have to be waited for.
    ///
    /// - Returns: Empty at the end, and when `isStopped` says so.
    mutating func next(_ most: Int, unless isStopped: @escaping @Sendable () -> Bool) async throws -> [PushNotification]
}

/// The lines of files, one after the other.
struct FileRows: BatchRows {
    private let paths: [String]
    private let format: BatchFormat?
    private var reader: RowReader

    private var place = 0
    private var number = 0
    private var file: InputFile?
    private var text: BatchText
    private var isAtEnd = false
    /// `nil` for all.
    private var chosen: ChosenLines?

    /// So many bytes of lines at a time, whatever their number.
    private static let mostBytes = 2 << 20

    init(_ paths: [String], format: BatchFormat?, _ reader: RowReader) {
        self.paths = paths
        self.format = format
        self.reader = reader
        text = BatchText(format: format)
    }

    var position: InputPosition {
        InputPosition(place: place, file: number, offset: text.offset, line: text.nextLine)
    }

    var canSeek: Bool { paths.allSatisfy { InputFile.isRegular($0) } }

    mutating func seek(_ position: InputPosition) async throws {
        place = position.place
        number = position.file
        guard number < paths.count, position.offset > 0 else { return }
        // How it is written, and the names of its columns, stand at its beginning.
        let file = try open()
        while !text.isRecognised {
            guard let piece = try await file.read(unless: { false }), !piece.isEmpty else { break }
            text.feed(piece)
            _ = try text.next()
        }
        guard file.go(to: position.offset) else {
            throw BatchInputError(
                code: .changed, description: "It is not the file any more that lines were read from before.")
        }
        text.resume(offset: position.offset, line: position.line)
    }

    private mutating func open() throws -> InputFile {
        if let file { return file }
        do throws(BatchInputError) {
            let opened = try InputFile(paths[number])
            file = opened
            text = BatchText(format: format)
            isAtEnd = false
            return opened
        } catch {
            throw error.inFile(paths[number])
        }
    }

    mutating func next(
        _ most: Int, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws -> [PushNotification] {
        var rows: [PushNotification] = []
        rows.reserveCapacity(most)
        var bytes = 0
        while rows.count < most, bytes < Self.mostBytes,
            case .line(let line) = try await nextLine(waits: rows.isEmpty, unless: isStopped)
        {
            bytes += line.text.count
            rows.append(notification(line))
        }
        return rows
    }

    private enum Next {
        case line(BatchText.Line)
        /// Nothing is left, or nothing is there now.
        case none
    }

    /// One is waited for only where the caller has none: what is there goes out before somebody writes more.
    private mutating func nextLine(
        waits: Bool, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws -> Next {
        while number < paths.count {
            let file = try open()
            if let line = try nextLineThere() {
                if chosen?.contains(file: number, line: line.number) != false { return .line(line) }
            } else if isAtEnd {
                self.file = nil
                number += 1
                if number < paths.count { text = BatchText(format: format) }
            } else {
                if file.mayWait, !waits { return .none }
                do {
                    guard let piece = try await file.read(unless: isStopped), !isStopped() else { return .none }
                    isAtEnd = piece.isEmpty
                    if isAtEnd { text.end() } else { text.feed(piece) }
                } catch let error as BatchInputError {
                    throw error.inFile(paths[number])
                }
            }
        }
        return .none
    }

    mutating func choose(
        _ count: Int, seed: UInt128, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws {
        guard canSeek else { throw Self.notToBeReadAgain }
        var choice = ChosenLines.Choice(count, seed: seed)
        var all = self
        while case .line(let line) = try await all.nextLine(waits: true, unless: isStopped) {
            choice.see(file: all.number, line: line.number)
        }
        chosen = choice.lines
    }

    private static let notToBeReadAgain = BatchInputError(
        code: .unreadable,
        description: """
            A sample by chance is chosen when all lines are known, and what comes through a pipe can be read only once: put the lines \
            into a file, or take the first ones.
            """)

    private mutating func nextLineThere() throws -> BatchText.Line? {
        do throws(BatchInputError) { return try text.next() } catch {
            throw error.inFile(paths[number] == "-" ? "standard input" : paths[number])
        }
    }

    private mutating func notification(_ line: BatchText.Line) -> PushNotification {
        defer { place += 1 }
        if let problem = line.problem {
            return .ofRow(
                BatchRow(place: place, line: line.number, file: number, text: line.text, verdict: .invalid(problem)))
        }
        return reader.notification(line.text, place: place, line: line.number, file: number)
    }
}

/// The elements of a sequence, as lines.
struct SequenceRows<Entries: AsyncSequence & Sendable>: BatchRows where Entries.Element == BatchEntry {
    private let entries: Entries
    /// Begins with the first line.
    private var iterator: Iterator?
    private var place = 0

    /// An iterator need not be Sendable, and only the task that reads has it.
    // Not checked by the compiler: it is made and used within `next`, which one task calls.
    private final class Iterator: @unchecked Sendable {
        var iterator: Entries.AsyncIterator

        init(_ entries: Entries) {
            iterator = entries.makeAsyncIterator()
        }

        func next() async throws -> BatchEntry? { try await iterator.next() }
    }

    init(_ entries: Entries) {
        self.entries = entries
    }

    var position: InputPosition { InputPosition(place: place, line: place + 1) }
    var canSeek: Bool { false }

    mutating func seek(_ position: InputPosition) async throws {}

    mutating func choose(
        _ count: Int, seed: UInt128, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws {
        throw BatchInputError(
            code: .unreadable,
            description: "A sample by chance is chosen when all lines are known, and a sequence is read only once.")
    }

    mutating func next(
        _ most: Int, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws -> [PushNotification] {
        let iterator = iterator ?? Iterator(entries)
        self.iterator = iterator
        // The sequence may take its time for each: none of them waits for the next.
        guard !isStopped(), let entry = try await iterator.next() else { return [] }
        defer { place += 1 }
        return [entry.notification(place: place)]
    }
}

/// One line of a campaign that comes from a program and not from a file.
public struct BatchEntry: Sendable {
    /// What to send.
    public var notification: PushNotification
    /// Whatever tells the line from others afterwards: the row's id in a database, for example.
    public var ref: JSONValue?

    /// Describes a line.
    ///
    /// - Parameters:
    ///   - notification: What to send.
    ///   - ref: Whatever tells the line from others afterwards.
    public init(_ notification: PushNotification, ref: JSONValue? = nil) {
        self.notification = notification
        self.ref = ref
    }

    /// With a row that says in JSON all that it is.
    func notification(place: Int) -> PushNotification {
        var json = Array("{\"token\":".utf8)
        JSONBytes.write(notification.deviceToken.hex.utf8, to: &json)
        let token = json.count - 1 - notification.deviceToken.hex.utf8.count..<json.count - 1
        var refPlace: Range<Int>?
        if let ref {
            json += ",\"ref\":".utf8
            let start = json.count
            json += ref.encoded
            refPlace = start..<json.count
        }
        json += ",\"topic\":".utf8
        JSONBytes.write(notification.topic.utf8, to: &json)
        if let pushType = notification.pushType {
            json += ",\"push_type\":".utf8
            JSONBytes.write(pushType.rawValue.utf8, to: &json)
        }
        if let priority = notification.priority { json += ",\"priority\":\(priority)".utf8 }
        if let collapseID = notification.collapseID {
            json += ",\"collapse_id\":".utf8
            JSONBytes.write(collapseID.utf8, to: &json)
        }
        if let expires = notification.effectiveExpiration.headerValue { json += ",\"expires\":\(expires)".utf8 }
        if notification.payload.reading.obstacle == nil {
            json += ",\"payload\":".utf8
            json += notification.payload.bytes.map { $0 < 0x20 ? 0x20 : $0 }
        }
        json.append(UInt8(ascii: "}"))
        var numbered = notification
        numbered.row = BatchRow(place: place, line: place + 1, file: 0, text: json, ref: refPlace, token: token)
        return numbered
    }
}
