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

    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    var json: JSON { JSON(parsing: output) }
}

/// A program that runs in a process of its own, and never longer than its time limit.
final class RunningProgram: Sendable {
    let output = Transcript()
    let errors = Transcript()

    private let process = Process()
    private let ending = Transcript()
    private let isTooSlow = NIOLockedValueBox(false)
    /// Pipes are made and handed over one program at a time, or a program could inherit an end of another one's.
    private static let starting = NIOLockedValueBox(())

    /// After `linesRead` lines the reader of its standard output goes away, as `head` does.
    init(
        _ file: URL, _ arguments: [String], environment: [String: String], folder: URL, input: FileHandle,
        linesRead: Int = .max, limit: Duration
    ) throws {
        process.executableURL = file
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = folder
        process.standardInput = input
        process.terminationHandler = { [ending] _ in ending.end() }
        try Self.starting.withLockedValue { _ in
            let (outputPipe, errorPipe) = (Pipe(), Pipe())
            process.standardOutput = outputPipe
            process.standardError = errorPipe
            if linesRead == 0 { try outputPipe.fileHandleForReading.close() }
            try Self.withAllSignals { try process.run() }
            Self.read(outputPipe, into: output, lines: linesRead)
            Self.read(errorPipe, into: errors)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(limit.components.seconds))) { [weak self] in
            self?.kill()
        }
    }

    /// A program inherits which signals are blocked, and the threads that run tests block all of them.
    private static func withAllSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
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
        if process.isRunning { signal(SIGKILL) }
    }

    private func kill() {
        guard process.isRunning else { return }
        isTooSlow.withLockedValue { $0 = true }
        signal(SIGKILL)
    }

    /// Ctrl-C.
    func interrupt() {
        signal(SIGINT)
    }

    /// A polite kill.
    func terminate() {
        signal(SIGTERM)
    }

    private func signal(_ number: Int32) {
        guard process.isRunning else { return }
        #if canImport(Darwin)
            Darwin.kill(process.processIdentifier, number)
        #else
            Glibc.kill(process.processIdentifier, number)
        #endif
    }

    /// Waits until it has ended and everything that it wrote is there.
    func end() async -> Ended {
        _ = await ending.wholeText()
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return Ended(
            status: status, output: await output.wholeText(), errors: await errors.wholeText(),
            wasTooSlow: isTooSlow.withLockedValue { $0 }
        )
    }
}
