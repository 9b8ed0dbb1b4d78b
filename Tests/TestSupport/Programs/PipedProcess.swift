import Foundation
import NIOConcurrencyHelpers

/// A program that answers line by line, through pipes. The calls block.
package final class PipedProcess: Sendable {
    private let process: ChildProcess
    private let ending: DispatchGroup
    private let input: NIOLockedValueBox<Int32?>
    private let output: Int32

    /// Starts a program.
    ///
    /// - Parameter command: The program, which is searched for in `PATH`, and its arguments.
    /// - Throws: ``CannotStart``.
    package init(_ command: [String]) throws {
        let ending = DispatchGroup()
        let started = try RunningProgram.starting.withLock {
            var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
            guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
                throw CannotStart(program: "pipe", reason: "errno \(errno)")
            }
            for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            defer {
                close(toChild[0])
                close(fromChild[1])
            }
            ending.enter()
            do {
                let process = try ChildProcess(
                    URL(filePath: "/usr/bin/env"), command, environment: ProcessInfo.processInfo.environment,
                    folder: FileManager.default.temporaryDirectory,
                    streams: (toChild[0], fromChild[1], STDERR_FILENO), whenEnded: { ending.leave() })
                return (process: process, input: toChild[1], output: fromChild[0])
            } catch {
                ending.leave()
                close(toChild[1])
                close(fromChild[0])
                throw error
            }
        }
        (process, output, input) = (started.process, started.output, NIOLockedValueBox(started.input))
        self.ending = ending
    }

    deinit {
        kill()
        close(output)
    }

    /// Writes a line to the program, and returns its next line; `nil` if the program is gone.
    package func answer(to line: String) -> String? {
        let bytes = Array((line + "\n").utf8)
        let isWritten = input.withLockedValue { input in
            guard let input else { return false }
            return write(input, bytes, bytes.count) == bytes.count
        }
        return isWritten ? readLine() : nil
    }

    /// Reads a line; empty at the end of the output.
    package func readLine() -> String {
        var (line, byte): ([UInt8], UInt8) = ([], 0)
        while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Ends the input, and waits until the program has ended.
    package func end() {
        let open = input.withLockedValue { input in
            defer { input = nil }
            return input
        }
        if let open { close(open) }
        ending.wait()
    }

    /// Kills the program, and waits until it has ended.
    package func kill() {
        process.signal(SIGKILL)
        end()
    }
}
