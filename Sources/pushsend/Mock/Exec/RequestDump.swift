import APNSVocabulary
import MockAPNs
import MockConsole
internal import NIOConcurrencyHelpers
import PushCommandLine
import PushJSON
import PushPlatform

/// A file with a JSON line for every request of a mock and its namespaces. Requests wait in memory until they are written, so a slow
/// file never delays a connection.
final class RequestDump: Sendable {
    private struct UnwrittenRequests {
        var entries: [(arrival: MockArrival, namespace: String?)] = []
        var bytes = 0
        /// The number of requests that are not in the file.
        var lost = 0
        /// Why the file cannot be written.
        var failure: String?
    }

    /// The maximum size of the requests that wait to be written, in bytes. Beyond it, further ones are only counted.
    static let maximumBytes = 64 << 20

    private let file: ResultFile
    private let limit: Int
    private let unwritten = NIOLockedValueBox(UnwrittenRequests())
    /// Has an element when requests wait. It ends with the run.
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// Creates the file, or empties it.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - limit: The maximum size of the requests that wait, in bytes.
    /// - Throws: ``CommandFailure`` if it cannot be created.
    init(_ path: String, limit: Int = maximumBytes) throws {
        file = try ResultFile(path, of: "--dump")
        self.limit = limit
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Why some requests were not written; `nil` if all were.
    var problem: String? {
        unwritten.withLockedValue { unwritten in
            if let failure = unwritten.failure { return failure }
            guard unwritten.lost > 0 else { return nil }
            let requests = counted(unwritten.lost, "request is", "requests are")
            return "\(requests) missing from the file of --dump: they arrived faster than it could be written."
        }
    }

    /// Adds requests. Returns at once.
    ///
    /// - Parameters:
    ///   - arrivals: The requests.
    ///   - namespace: Their namespace; `nil` for the mock from the start.
    func add(_ arrivals: [MockArrival], in namespace: String?) {
        unwritten.withLockedValue { unwritten in
            guard unwritten.failure == nil else { return }
            for arrival in arrivals {
                guard unwritten.bytes + arrival.byteCount <= limit else {
                    unwritten.lost += 1
                    continue
                }
                unwritten.bytes += arrival.byteCount
                unwritten.entries.append((arrival, namespace))
            }
        }
        signal.yield()
    }

    /// Says that no more requests will come.
    func finish() { signal.finish() }

    /// Writes the requests until ``finish()`` is called and all are written.
    func write() async {
        for await _ in signals { writeRequests() }
        writeRequests()
    }

    private func writeRequests() {
        let entries = unwritten.withLockedValue { unwritten in
            defer { (unwritten.entries, unwritten.bytes) = ([], 0) }
            return unwritten.entries
        }
        // In pieces, because a line needs more memory than its request.
        for start in stride(from: 0, to: entries.count, by: 1000) {
            let piece = entries[start..<min(start + 1000, entries.count)]
            do throws(CommandFailure) { try file.write(Self.lines(piece)) } catch {
                return unwritten.withLockedValue { $0.failure = error.message }
            }
        }
    }

    private static func lines(_ entries: ArraySlice<(arrival: MockArrival, namespace: String?)>) -> [UInt8] {
        entries.reduce(into: []) { bytes, entry in
            var line = JSONWriter()
            line.object { PushForm.write(entry.arrival, in: entry.namespace, to: &$0, remedy: \.textWithFlags) }
            bytes += line.bytes
            bytes.append(0x0A)
        }
    }
}

/// A file that a command writes and a person has named. It is written in place: a device or a pipe is not replaced.
final class ResultFile: Sendable {
    private let descriptor: Int32
    private let path: String
    private let flag: String

    /// Creates the file, or empties it.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - flag: The flag that names it, for errors.
    /// - Throws: ``CommandFailure`` if it cannot be created.
    init(_ path: String, of flag: String) throws {
        descriptor = SavedFile.open(path, O_WRONLY | O_TRUNC, 0o666)
        self.path = path
        self.flag = flag
        guard descriptor >= 0 else {
            throw CommandFailure(
                .cannotCreate, "The file \"\(path)\" of \(flag) can't be created (\(SavedFile.reason(errno, path))).")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Appends bytes.
    ///
    /// - Throws: ``CommandFailure`` if not all of them can be written.
    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        let number = SavedFile.write(bytes, to: descriptor)
        guard number == 0 else {
            throw CommandFailure(
                .cannotWrite,
                "The file \"\(path)\" of \(flag) can't be written (\(String(cString: strerror(number)))).")
        }
    }
}
