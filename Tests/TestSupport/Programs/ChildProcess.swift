import Foundation
import NIOConcurrencyHelpers

/// A child process. A thread waits for its end.
///
/// `Process` of Foundation has crashed in `run()` while other threads started programs, once in some dozen runs of all tests.
final class ChildProcess: Sendable {
    private struct State {
        var isRunning = true
        /// The exit code, or the negative number of the signal that ended the process.
        var status: Int32 = 0
    }

    let id: pid_t
    private let state = NIOLockedValueBox(State())

    /// Starts a program. It inherits these three descriptors and no others, and no signal is blocked in it.
    ///
    /// - Parameters:
    ///   - file: The program.
    ///   - arguments: The arguments, without the name of the program.
    ///   - environment: The whole environment of the program.
    ///   - folder: The working directory.
    ///   - streams: Standard input, standard output and standard error.
    ///   - ended: Called when the program has ended, on a thread of its own.
    /// - Throws: ``CannotStart``.
    init(
        _ file: URL, _ arguments: [String], environment: [String: String], folder: URL,
        streams: (input: Int32, output: Int32, errors: Int32), whenEnded ended: @escaping @Sendable () -> Void
    ) throws {
        // `env` goes to the folder and becomes the program: the same process.
        id = try Self.spawn(
            "/usr/bin/env", ["env", "-C", folder.path(), file.path()] + arguments,
            environment.map { "\($0)=\($1)" }, [streams.input, streams.output, streams.errors])
        Thread.detachNewThread { [id, state] in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            state.withLockedValue { state in
                state.isRunning = false
                let signal = status & 0x7F
                state.status = signal == 0 ? status >> 8 & 0xFF : -signal
            }
            ended()
        }
    }

    var isRunning: Bool { state.withLockedValue { $0.isRunning } }
    var status: Int32 { state.withLockedValue { $0.status } }

    /// Sends a signal, unless the process has ended.
    func signal(_ number: Int32) {
        state.withLockedValue { if $0.isRunning { _ = kill(id, number) } }
    }

    private static var highestDescriptor: Int32 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        return names.compactMap { Int32($0) }.max() ?? 1000
    }

    private static func spawn(
        _ file: String, _ arguments: [String], _ environment: [String], _ streams: [Int32]
    ) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, stream) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
        }
        // Otherwise, the child would keep the ports and files open that are open here.
        for other in 3...highestDescriptor + 64 { posix_spawn_file_actions_addclose(&actions, other) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words = (arguments.map { strdup($0) }, environment.map { strdup($0) })
        defer { for word in words.0 + words.1 { free(word) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, file, &actions, &attributes, words.0 + [nil], words.1 + [nil])
        guard code == 0 else { throw CannotStart(program: file, reason: "errno \(code)") }
        return id
    }
}
