import NIOConcurrencyHelpers

/// What a program has written to one of its outputs. Tests can wait for its lines.
///
/// A thread fills it and tests read it, so it has a lock.
package final class Transcript: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// The complete lines.
        var lines: [String] = []
        var lineStart = 0
        var isComplete = false
        var waiting: [Waiter] = []
    }

    private struct Waiter {
        /// Returns the line that the test waits for; `nil` if it is not among the lines.
        var find: @Sendable ([String]) -> String?
        var continuation: CheckedContinuation<String?, Never>
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// Everything so far.
    package var text: String { state.withLockedValue { String(decoding: $0.bytes, as: UTF8.self) } }

    /// Waits for a line, counted from 0; `nil` if the output ends before it.
    package func line(_ index: Int) async -> String? {
        await line { index < $0.count ? $0[index] : nil }
    }

    /// Waits for the first line that contains a text; `nil` if the output ends without it.
    package func line(with text: String) async -> String? {
        await line { lines in lines.first { $0.contains(text) } }
    }

    /// Waits for the end of the output.
    package func wholeText() async -> String {
        _ = await line { _ in nil }
        return text
    }

    private func line(_ find: @escaping @Sendable ([String]) -> String?) async -> String? {
        await withCheckedContinuation { continuation in
            let answer: String?? = state.withLockedValue { state in
                if let line = find(state.lines) { return line }
                if state.isComplete { return .some(nil) }
                state.waiting.append(Waiter(find: find, continuation: continuation))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
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
            let (lines, isComplete) = (state.lines, state.isComplete)
            var ready: [(CheckedContinuation<String?, Never>, String?)] = []
            state.waiting.removeAll { waiter in
                let line = waiter.find(lines)
                guard line != nil || isComplete else { return false }
                ready.append((waiter.continuation, line))
                return true
            }
            return ready
        }
        for (continuation, line) in ready { continuation.resume(returning: line) }
    }
}
