import NIOConcurrencyHelpers

/// What a process has written to one of its outputs, line by line as it comes.
///
/// A thread fills it and tests wait for lines of it, hence the lock.
final class Transcript: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var lines: [String] = []
        var lineStart = 0
        var isComplete = false
        var waiting: [(line: Int, continuation: CheckedContinuation<String?, Never>)] = []
    }

    private let state = NIOLockedValueBox(State())

    /// Everything so far.
    var text: String { state.withLockedValue { String(decoding: $0.bytes, as: UTF8.self) } }

    /// Waits for a line, counted from 0; `nil` when the output ended before it.
    func line(_ index: Int) async -> String? {
        await withCheckedContinuation { continuation in
            let answer: String?? = state.withLockedValue { state in
                if index < state.lines.count { return state.lines[index] }
                if state.isComplete { return .some(nil) }
                state.waiting.append((index, continuation))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Waits for the end of the output.
    func wholeText() async -> String {
        _ = await line(.max)
        return text
    }

    // MARK: Filling it

    func append(_ more: some Sequence<UInt8>) {
        advance { state in
            state.bytes += more
            while let end = state.bytes[state.lineStart...].firstIndex(of: UInt8(ascii: "\n")) {
                state.lines.append(String(decoding: state.bytes[state.lineStart..<end], as: UTF8.self))
                state.lineStart = end + 1
            }
        }
    }

    func end() {
        advance { $0.isComplete = true }
    }

    private func advance(_ change: (inout State) -> Void) {
        let ready = state.withLockedValue { state in
            change(&state)
            let lines = state.lines
            let isComplete = state.isComplete
            let ready = state.waiting.filter { isComplete || $0.line < lines.count }
            state.waiting.removeAll { isComplete || $0.line < lines.count }
            return ready.map { ($0.continuation, $0.line < lines.count ? lines[$0.line] : nil) }
        }
        for (continuation, line) in ready { continuation.resume(returning: line) }
    }
}
