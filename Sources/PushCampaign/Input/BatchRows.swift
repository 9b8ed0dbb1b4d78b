internal import PushProvider

/// The source of the lines of a campaign. Only one task reads it.
protocol BatchRows: Sendable {
    var position: InputPosition { get }
    /// Whether reading can begin at another line than the first.
    var canSeek: Bool { get }
    /// The placeholders with a default that none of the lines so far has a value for.
    var unfilled: [UnfilledPlaceholder] { get }

    /// Checks how each file begins, before any line is sent, so that a file that cannot be read is found at once.
    func checkBeginnings() async throws

    /// Continues at a position from an earlier run.
    mutating func seek(_ position: InputPosition) async throws

    /// From now on, returns only this number of lines, chosen at random.
    mutating func choose(
        _ count: Int, seed: UInt128, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws

    /// Returns the next lines as notifications with their rows. Returns fewer than `maximum` if the others take longer
    /// than ``SourceTimeout/gathering``.
    ///
    /// - Returns: The lines; empty at the end, or if `isStopped` returns `true`.
    mutating func next(_ maximum: Int, unless isStopped: @escaping @Sendable () -> Bool) async throws
        -> [PushNotification]
}

extension BatchRows {
    var unfilled: [UnfilledPlaceholder] { [] }

    func checkBeginnings() async throws {}
}

/// The lines of files, one after the other.
struct FileRows: BatchRows {
    private let paths: [String]
    private let format: BatchFormat?
    /// The identity of each file when the campaign begins; `nil` for a stream.
    private let begun: [InputFile.Identity?]
    private var reader: RowReader

    private var index = 0
    private var number = 0
    private var file: InputFile?
    /// The identity of the open file when the campaign began; `nil` for a stream.
    private var expected: InputFile.Identity?
    /// The number of bytes read from the open file.
    private var bytesRead = 0
    private var text: BatchText
    private var isAtEnd = false
    /// The lines chosen at random; `nil` for all lines.
    private var chosen: ChosenLines?

    /// The maximum number of bytes of lines per batch, whatever their number.
    private static let maximumBytes = 2 << 20

    init(_ paths: [String], format: BatchFormat?, _ reader: RowReader) {
        self.paths = paths
        self.format = format
        self.reader = reader
        begun = paths.map { InputFile.identity(of: $0) }
        text = reader.text(format: format)
    }

    var unfilled: [UnfilledPlaceholder] { reader.unfilled }

    private func newText() -> BatchText { reader.text(format: format) }

    var position: InputPosition {
        InputPosition(index: index, file: number, offset: text.offset, line: text.nextLine)
    }

    var canSeek: Bool { paths.allSatisfy { InputFile.isRegular($0) } }

    mutating func seek(_ position: InputPosition) async throws {
        index = position.index
        number = position.file
        guard number < paths.count, position.offset > 0 else { return }
        // The format and the column names are at the beginning of the file.
        let file = try open()
        while !text.isRecognised {
            guard let piece = try await file.read(unless: { false }), !piece.isEmpty else { break }
            text.feed(piece)
            _ = try text.next()
        }
        guard file.go(to: position.offset) else {
            throw BatchInputError(.changed, "This isn't the file that an earlier run read lines from.")
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
        _ maximum: Int, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws -> [PushNotification] {
        var rows: [PushNotification] = []
        rows.reserveCapacity(maximum)
        var bytes = 0
        // Wait without a limit for the first line. Lines that have arrived are soon sent, even if more follow later.
        var deadline: ContinuousClock.Instant?
        while rows.count < maximum, bytes < Self.maximumBytes,
            let line = try await nextLine(until: deadline, isFirst: rows.isEmpty, unless: isStopped)
        {
            if rows.isEmpty, file?.mayWait == true { deadline = .now + SourceTimeout.gathering }
            bytes += line.text.count
            rows.append(notification(line))
        }
        return rows
    }

    /// Returns the next line; `nil` if there are no more lines, or none at the moment.
    private mutating func nextLine(
        until deadline: ContinuousClock.Instant?, isFirst: Bool, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws -> BatchText.Line? {
        do {
            while number < paths.count {
                let file = try open()
                if let line = try nextLineThere() {
                    if chosen?.contains(file: number, line: line.number) != false { return line }
                } else if isAtEnd {
                    self.file = nil
                    number += 1
                    if number < paths.count { text = newText() }
                } else {
                    do {
                        guard try await readOn(file, until: deadline, unless: isStopped), !isStopped() else {
                            return nil
                        }
                    } catch let error as BatchInputError {
                        throw error.inFile(shownName)
                    }
                }
            }
        } catch let error as BatchInputError {
            // Send the lines that were read before; the next call fails again.
            if isFirst { throw error }
        }
        return nil
    }

    /// Reads the next piece of a file, up to the size that the file had when the campaign began.
    ///
    /// - Returns: `false` if waiting for it is not allowed.
    /// - Throws: ``BatchInputError`` if the file changed. The bytes after the last line end are then not used, because
    ///   the rest of that line may be missing.
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
                // The file was truncated, and is complete again.
                return true
            }
            piece = Array(piece.prefix(expected.size - bytesRead))
        }
        bytesRead += piece.count
        isAtEnd = piece.isEmpty
        if isAtEnd { text.end() } else { text.feed(piece) }
        return true
    }

    /// The name of the open file for messages.
    private var shownName: String { paths[number] == "-" ? "standard input" : paths[number] }

    mutating func choose(
        _ count: Int, seed: UInt128, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws {
        guard canSeek else { throw Self.notToBeReadAgain }
        var smallest = ChosenLines.SmallestNumbers(count, seed: seed)
        var all = self
        while let line = try await all.nextLine(until: nil, isFirst: true, unless: isStopped) {
            smallest.see(file: all.number, line: line.number)
        }
        chosen = smallest.lines
    }

    private static let notToBeReadAgain = BatchInputError(
        .unreadable,
        """
        A random sample needs all lines first, and a pipe can be read only once: put the lines \
        into a file, or take the first lines.
        """)

    private mutating func nextLineThere() throws -> BatchText.Line? {
        do throws(BatchInputError) { return try text.next() } catch {
            throw error.inFile(shownName)
        }
    }

    private mutating func notification(_ line: BatchText.Line) -> PushNotification {
        defer { index += 1 }
        if let problem = line.problem {
            return .ofRow(
                BatchRow(index: index, line: line.number, file: number, text: line.text, skipReason: .invalid(problem)))
        }
        return reader.notification(line.text, index: index, line: line.number, file: number)
    }
}
