import Foundation
import NIOConcurrencyHelpers

/// How a program ended, and what it wrote.
struct Ended: Sendable {
    /// The exit code; a signal that ended it counts as its negative number.
    var status: Int32
    var output: String
    var errors: String
    /// It had to be killed because it took longer than it may.
    var wasTooSlow: Bool

    var outputLines: [String] { output.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    var json: JSON { JSON(parsing: output) }
}

/// A program that runs in a process of its own, and never longer than its time limit.
final class RunningProgram: Sendable {
    let output = Transcript()
    let errors = Transcript()

    private let process: ChildProcess
    private let ending: Transcript
    private let isTooSlow = NIOLockedValueBox(false)
    /// Pipes are made and handed over one program at a time, or a program could inherit an end of another one's.
    private static let starting = NIOLock()

    /// After `linesRead` lines the reader of its standard output goes away, as `head` does.
    init(
        _ file: URL, _ arguments: [String], environment: [String: String], folder: URL, input: FileHandle,
        linesRead: Int = .max, limit: Duration
    ) throws {
        let ending = Transcript()
        let (outputPipe, errorPipe): (Pipe, Pipe)
        (process, outputPipe, errorPipe) = try Self.starting.withLock {
            let (outputPipe, errorPipe) = (Pipe(), Pipe())
            for pipe in [outputPipe, errorPipe] { Self.keepToItself(pipe) }
            if linesRead == 0 { try outputPipe.fileHandleForReading.close() }
            let process = try ChildProcess(
                file, arguments, environment: environment, folder: folder,
                streams: (
                    input.fileDescriptor, outputPipe.fileHandleForWriting.fileDescriptor,
                    errorPipe.fileHandleForWriting.fileDescriptor
                ), whenEnded: { ending.end() })
            return (process, outputPipe, errorPipe)
        }
        self.ending = ending
        // The program's own ends of the pipes are the only ones: with it they are gone.
        try outputPipe.fileHandleForWriting.close()
        try errorPipe.fileHandleForWriting.close()
        Self.read(outputPipe, into: output, lines: linesRead)
        Self.read(errorPipe, into: errors)
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(limit.components.seconds))) { [weak self] in
            self?.kill()
        }
    }

    /// No other program inherits an end of it.
    private static func keepToItself(_ pipe: Pipe) {
        for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    private static func read(_ pipe: Pipe, into transcript: Transcript, lines: Int = .max) {
        if lines == 0 { return transcript.end() }
        Thread.detachNewThread {
            var linesLeft = lines
            while linesLeft > 0 {
                let part = pipe.fileHandleForReading.availableData
                if part.isEmpty { break }
                linesLeft -= part.count { $0 == UInt8(ascii: "\n") }
                // Whoever learns of the last line can rely on it that nobody reads any more.
                if linesLeft <= 0 { try? pipe.fileHandleForReading.close() }
                transcript.append(part)
            }
            transcript.end()
        }
    }

    deinit {
        process.signal(SIGKILL)
    }

    private func kill() {
        guard process.isRunning else { return }
        isTooSlow.withLockedValue { $0 = true }
        process.signal(SIGKILL)
    }

    var hasEnded: Bool { !process.isRunning }

    /// Ctrl-C.
    func interrupt() {
        process.signal(SIGINT)
    }

    /// A polite kill.
    func terminate() {
        process.signal(SIGTERM)
    }

    /// A kill that nothing survives, at once.
    func killAtOnce() {
        process.signal(SIGKILL)
    }

    /// Waits until it has ended and everything that it wrote is there.
    func end() async -> Ended {
        _ = await ending.wholeText()
        return Ended(
            status: process.status, output: await output.wholeText(), errors: await errors.wholeText(),
            wasTooSlow: isTooSlow.withLockedValue { $0 }
        )
    }
}
