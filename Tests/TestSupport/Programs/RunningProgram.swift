package import Foundation
import NIOConcurrencyHelpers

/// How a program ended, and what it wrote.
package struct Ended: Sendable {
    /// The exit code, or the negative number of the signal that ended the program.
    package var status: Int32
    package var output: String
    package var errors: String
    /// The program was killed because it exceeded its time limit.
    package var wasTooSlow: Bool

    package init(status: Int32, output: String, errors: String = "", wasTooSlow: Bool = false) {
        self.status = status
        self.output = output
        self.errors = errors
        self.wasTooSlow = wasTooSlow
    }

    package var outputLines: [String] { output.split(separator: "\n").map(String.init) }
    package var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}

/// A program that runs in a process of its own. It is killed with this object, and after a time limit.
package final class RunningProgram: Sendable {
    package let output = Transcript()
    package let errors = Transcript()

    private let process: ChildProcess
    private let ending: Transcript
    private let isTooSlow = NIOLockedValueBox(false)
    /// Programs are started one at a time. Otherwise, a program could inherit an end of another program's pipe.
    static let starting = NIOLock()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - file: The program.
    ///   - arguments: The arguments, without the name of the program.
    ///   - environment: The whole environment of the program.
    ///   - folder: The working directory.
    ///   - input: The standard input.
    ///   - linesRead: After this number of lines, nobody reads the standard output any more, as with `head`.
    ///   - limit: The time limit, in whole seconds.
    /// - Throws: ``CannotStart``.
    package init(
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
        // Then only the program has these ends, and the pipes end with it.
        try outputPipe.fileHandleForWriting.close()
        try errorPipe.fileHandleForWriting.close()
        Self.read(outputPipe, into: output, lines: linesRead)
        Self.read(errorPipe, into: errors)
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(limit.components.seconds))) { [weak self] in
            self?.endForSlowness()
        }
    }

    /// No other program inherits an end of the pipe.
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
                // The pipe is closed before a test gets the last line.
                if linesLeft <= 0 { try? pipe.fileHandleForReading.close() }
                transcript.append(part)
            }
            transcript.end()
        }
    }

    deinit {
        process.signal(SIGKILL)
    }

    private func endForSlowness() {
        guard process.isRunning else { return }
        isTooSlow.withLockedValue { $0 = true }
        process.signal(SIGKILL)
    }

    package var isRunning: Bool { process.isRunning }

    /// Sends a signal, unless the program has ended.
    package func signal(_ number: Int32) {
        process.signal(number)
    }

    /// Sends SIGINT, as Ctrl-C does.
    package func interrupt() {
        signal(SIGINT)
    }

    /// Sends SIGTERM.
    package func terminate() {
        signal(SIGTERM)
    }

    /// Sends SIGKILL.
    package func kill() {
        signal(SIGKILL)
    }

    /// Waits until the program has ended, and everything that it wrote has been read.
    package func end() async -> Ended {
        _ = await ending.wholeText()
        return Ended(
            status: process.status, output: await output.wholeText(), errors: await errors.wholeText(),
            wasTooSlow: isTooSlow.withLockedValue { $0 }
        )
    }
}

/// A program or a socket that a test needs cannot start.
package struct CannotStart: Error, CustomStringConvertible {
    package var program: String
    package var reason: String

    package init(program: String, reason: String) {
        (self.program, self.reason) = (program, reason)
    }

    package var description: String { "\(program): \(reason)" }
}

/// A command that a test needs has ended with an error.
package struct CommandFailed: Error, CustomStringConvertible {
    package var command: String
    package var output: String

    package var description: String { "\(command): \(output)" }
}
