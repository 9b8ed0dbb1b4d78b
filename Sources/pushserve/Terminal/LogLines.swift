import NIOConcurrencyHelpers
import NIOPosix
import PushPlatform

/// The lines of a log that wait to be written, on a thread of their own: a reader that stops reading must not stop the service.
///
/// If nobody reads, lines are dropped, and the next line that can be written says how many.
final class LogLines: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var dropped = 0
        var isWriting = false
    }

    /// The maximum number of bytes that wait. Further lines are dropped.
    static let maximum = 1 << 20

    private let state = NIOLockedValueBox(State())
    /// Its value is whether everything is written. It changes together with the state.
    private let idle = ConditionLock(value: true)
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameter write: Writes bytes. It may block.
    init(write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
        thread.start()
    }

    func write(_ line: String) {
        idle.lock()
        let begins = state.withLockedValue { state in
            if state.bytes.count + line.utf8.count > Self.maximum {
                state.dropped += 1
            } else {
                state.bytes += Array(line.utf8) + [UInt8(ascii: "\n")]
            }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        idle.unlock(withValue: false)
        if begins { thread.submit { _ in self.drain() } }
    }

    /// Waits until everything is written.
    ///
    /// - Returns: Whether that was possible in the time.
    @discardableResult
    func finish(within time: Duration) -> Bool {
        guard idle.lock(whenValue: true, timeoutSeconds: time / .seconds(1)) else { return false }
        idle.unlock()
        return true
    }

    private func drain() {
        while let bytes = take() { write(bytes) }
    }

    /// Everything that waits; `nil` if nothing does.
    private func take() -> [UInt8]? {
        idle.lock()
        let bytes = takeBytes()
        idle.unlock(withValue: bytes == nil)
        return bytes
    }

    private func takeBytes() -> [UInt8]? {
        state.withLockedValue { state in
            defer { (state.bytes, state.dropped) = ([], 0) }
            if state.dropped > 0 {
                let count = state.dropped
                return state.bytes
                    + Array(
                        "\(counted(count, "line")) of the log were dropped, because the log wasn't read.\n"
                            .utf8)
            }
            if state.bytes.isEmpty { state.isWriting = false }
            return state.bytes.isEmpty ? nil : state.bytes
        }
    }
}
