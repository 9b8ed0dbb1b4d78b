import Foundation
import NIOConcurrencyHelpers

/// A program in a process of its own. It is killed with this object, and after a limit.
final class StartedProgram: Sendable {
    struct CannotStart: Error {
        var code: Int32
    }

    private struct State {
        var isRunning = true
        var status: Int32 = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let output = WrittenLines()
    let errors = WrittenLines()
    private let id: pid_t
    private let state = NIOLockedValueBox(State())
    /// Pipes are made and handed over one program at a time, or a program could inherit an end of another one's.
    private static let starting = NIOLock()

    init(
        _ file: URL, _ arguments: [String], environment: [String: String], folder: URL, input: String,
        seconds: Double = 90
    ) throws {
        let (id, outputEnd, errorEnd) = try Self.starting.withLock {
            try Self.spawn(file, arguments, environment, folder, input)
        }
        self.id = id
        Self.read(outputEnd, into: output)
        Self.read(errorEnd, into: errors)
        Thread.detachNewThread { [id, state] in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let waiting = state.withLockedValue { state in
                let signal = status & 0x7F
                (state.isRunning, state.status) = (false, signal == 0 ? status >> 8 & 0xFF : -signal)
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in self?.signal(SIGKILL) }
    }

    deinit {
        signal(SIGKILL)
    }

    var isRunning: Bool { state.withLockedValue { $0.isRunning } }

    /// Sends a signal, unless the program has ended.
    func signal(_ number: Int32) {
        state.withLockedValue { if $0.isRunning { _ = kill(id, number) } }
    }

    /// Waits until the program has ended, and everything that it wrote is there.
    func end() async -> Ended {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLockedValue { state in
                if state.isRunning { state.waiting.append(continuation) }
                return !state.isRunning
            }
            if hasEnded { continuation.resume() }
        }
        return Ended(
            status: state.withLockedValue { $0.status }, output: await output.wholeText(),
            errors: await errors.wholeText())
    }

    // MARK: Starting

    private static func spawn(
        _ file: URL, _ arguments: [String], _ environment: [String: String], _ folder: URL, _ input: String
    ) throws -> (pid_t, FileHandle, FileHandle) {
        let pipes = (Pipe(), Pipe())
        let inputEnd = open(input, O_RDONLY | O_CLOEXEC)
        defer { close(inputEnd) }
        for pipe in [pipes.0, pipes.1] {
            for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
        }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let ends = [inputEnd, pipes.0.fileHandleForWriting.fileDescriptor, pipes.1.fileHandleForWriting.fileDescriptor]
        for (number, end) in ends.enumerated() { posix_spawn_file_actions_adddup2(&actions, end, Int32(number)) }
        // `env` goes to the folder and becomes the program: the same process.
        let words = ["env", "-C", folder.path(), file.path()] + arguments
        let pointers = (words.map { strdup($0) }, environment.map { strdup("\($0.key)=\($0.value)") })
        defer { for word in pointers.0 + pointers.1 { free(word) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, "/usr/bin/env", &actions, nil, pointers.0 + [nil], pointers.1 + [nil])
        try pipes.0.fileHandleForWriting.close()
        try pipes.1.fileHandleForWriting.close()
        guard code == 0 else { throw CannotStart(code: code) }
        return (id, pipes.0.fileHandleForReading, pipes.1.fileHandleForReading)
    }

    private static func read(_ end: FileHandle, into lines: WrittenLines) {
        Thread.detachNewThread {
            while true {
                let part = end.availableData
                if part.isEmpty { break }
                lines.append(part)
            }
            lines.finish()
        }
    }
}

/// What a program has written, line by line as it comes.
final class WrittenLines: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isComplete = false
        var waiting: [(isMet: @Sendable (String) -> Bool, continuation: CheckedContinuation<String?, Never>)] = []

        /// The complete lines so far.
        var lines: [String] {
            let text = String(decoding: bytes, as: UTF8.self)
            return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    private let state = NIOLockedValueBox(State())

    /// Waits for the first line with a text; `nil` when the output ended without it.
    func line(with text: String) async -> String? {
        await line { $0.contains(text) }
    }

    func wholeText() async -> String {
        _ = await line { _ in false }
        return state.withLockedValue { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private func line(_ isMet: @escaping @Sendable (String) -> Bool) async -> String? {
        await withCheckedContinuation { continuation in
            let answer: String?? = state.withLockedValue { state in
                if let line = state.lines.first(where: isMet) { return line }
                if state.isComplete { return .some(nil) }
                state.waiting.append((isMet, continuation))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    func append(_ more: some Sequence<UInt8>) {
        advance { $0.bytes += more }
    }

    func finish() {
        advance { $0.isComplete = true }
    }

    private func advance(_ change: (inout State) -> Void) {
        let ready = state.withLockedValue { state in
            change(&state)
            let lines = state.lines
            var ready: [(CheckedContinuation<String?, Never>, String?)] = []
            let isComplete = state.isComplete
            state.waiting.removeAll { wish in
                let line = lines.first(where: wish.isMet)
                guard line != nil || isComplete else { return false }
                ready.append((wish.continuation, line))
                return true
            }
            return ready
        }
        for (continuation, line) in ready { continuation.resume(returning: line) }
    }
}
