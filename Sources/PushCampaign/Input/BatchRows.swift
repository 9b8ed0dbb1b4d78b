internal import PushProvider

/// Where the lines of a campaign come from. One task reads it.
protocol BatchRows: Sendable {
    /// Where the next line begins.
    var position: InputPosition { get }
    /// Whether it can begin elsewhere than at the first line.
    var canSeek: Bool { get }

    /// Looks at how each file begins, before any line is sent: one that cannot be read at all is no surprise in the middle.
    func checkBeginnings() async throws

    /// Goes to a place that was reached in an earlier run.
    mutating func seek(_ position: InputPosition) async throws

    /// Gives only so many lines from now on, chosen by chance.
    mutating func choose(
        _ count: Int, seed: UInt128, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws

    /// The next lines, as notifications that know their rows; fewer than asked for where more would have to be waited for longer than
    /// ``RowPatience/gathering``.
    ///
    /// - Returns: Empty at the end, and when `isStopped` says so.
    mutating func next(_ most: Int, unless isStopped: @escaping @Sendable () -> Bool) async throws -> [PushNotification]
}

extension BatchRows {
    func checkBeginnings() async throws {}
}

/// How long lines are gathered from a source that takes its time. Lines that are marked together cost less; none waits long for another.
enum RowPatience {
    static let gathering = Duration.milliseconds(50)
    /// How often it is looked whether to go on waiting where nothing comes.
    static let look = Duration.milliseconds(100)
}

/// The lines of files, one after the other.
struct FileRows: BatchRows {
    private let paths: [String]
    private let format: BatchFormat?
    /// What each file is when the campaign begins; `nil` for a stream.
    private let begun: [InputFile.Identity?]
    private var reader: RowReader

    private var place = 0
    private var number = 0
    private var file: InputFile?
    /// What the open file was when the campaign began; `nil` for a stream.
    private var expected: InputFile.Identity?
    /// How many bytes of the open file have been read.
    private var bytesRead = 0
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
        begun = paths.map { InputFile.identity(of: $0) }
        text = reader.text(format: format)
    }

    private func newText() -> BatchText { reader.text(format: format) }

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
        bytesRead = position.offset
        text.resume(offset: position.offset, line: position.line)
    }

    func checkBeginnings() async throws {
        for path in paths where InputFile.isRegular(path) {
            do {
                let file = try InputFile(path)
                var text = newText()
                while !text.isRecognised {
                    guard let piece = try await file.read(unless: { false }) else { break }
                    if piece.isEmpty { text.end() } else { text.feed(piece) }
                    _ = try text.next()
                    if piece.isEmpty { break }
                }
            } catch let error as BatchInputError {
                throw error.inFile(path)
            }
        }
    }

    private mutating func open() throws -> InputFile {
        if let file { return file }
        do throws(BatchInputError) {
            let opened = try InputFile(paths[number])
            if let known = begun[number] { try opened.requireUnchanged(since: known) }
            expected = begun[number] ?? opened.identity()
            bytesRead = opened.offset
            file = opened
            text = newText()
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
        // The first is waited for as long as it takes. What is there goes out soon after, whenever somebody writes more.
        var deadline: ContinuousClock.Instant?
        while rows.count < most, bytes < Self.mostBytes,
            case .line(let line) = try await nextLine(until: deadline, isFirst: rows.isEmpty, unless: isStopped)
        {
            if rows.isEmpty, file?.mayWait == true { deadline = .now + RowPatience.gathering }
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

    private mutating func nextLine(
        until deadline: ContinuousClock.Instant?, isFirst: Bool, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws -> Next {
        while number < paths.count {
            let file: InputFile
            do { file = try open() } catch {
                // The lines that were read before go out; the next call fails again.
                if !isFirst { return .none }
                throw error
            }
            let line: BatchText.Line?
            do { line = try nextLineThere() } catch {
                // The lines that were read before go out; the next call fails again.
                if !isFirst { return .none }
                throw error
            }
            if let line {
                if chosen?.contains(file: number, line: line.number) != false { return .line(line) }
            } else if isAtEnd {
                self.file = nil
                number += 1
                if number < paths.count { text = newText() }
            } else {
                do {
                    guard try await readOn(file, until: deadline, unless: isStopped), !isStopped() else { return .none }
                } catch let error as BatchInputError {
                    // The lines that were read before go out; the next call fails again.
                    if !isFirst { return .none }
                    throw error.inFile(paths[number] == "-" ? "standard input" : paths[number])
                }
            }
        }
        return .none
    }

    /// Reads the next piece of a file, up to the size that it had when the campaign began.
    ///
    /// - Returns: `false` when it is not to be waited for.
    /// - Throws: ``BatchInputError`` when the file is not what it was. What stands behind its last line end is then no line: the
    ///   rest of it may be missing.
    private mutating func readOn(
        _ file: InputFile, until deadline: ContinuousClock.Instant?, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws -> Bool {
        if let expected, bytesRead >= expected.size {
            try file.requireUnchanged(since: expected)
            isAtEnd = true
            text.end()
            return true
        }
        guard var piece = try await file.read(until: deadline, unless: isStopped) else { return false }
        if let expected {
            if piece.isEmpty {
                try file.requireUnchanged(since: expected)
                // It was cut and is whole again.
                return true
            }
            piece = Array(piece.prefix(expected.size - bytesRead))
        }
        bytesRead += piece.count
        isAtEnd = piece.isEmpty
        if isAtEnd { text.end() } else { text.feed(piece) }
        return true
    }

    mutating func choose(
        _ count: Int, seed: UInt128, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws {
        guard canSeek else { throw Self.notToBeReadAgain }
        var choice = ChosenLines.Choice(count, seed: seed)
        var all = self
        while case .line(let line) = try await all.nextLine(until: nil, isFirst: true, unless: isStopped) {
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
