import MockAPNs
import MockConsole
internal import NIOConcurrencyHelpers
import PushPlatform

/// A file with a JSON line for every request of a mock.
final class RequestDump: Sendable {
    private let file: Int32
    private let path: String
    private let failure = NIOLockedValueBox<String?>(nil)

    /// Creates the file, or empties it.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be created.
    init(_ path: String) throws {
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        self.path = path
        guard file >= 0 else {
            throw CommandFailure(
                status: .cannotCreate,
                message: "The file \"\(path)\" of --dump cannot be created (\(String(cString: strerror(errno)))).")
        }
    }

    deinit {
        close(file)
    }

    /// Why some requests were not written; `nil` if all were.
    var problem: String? { failure.withLockedValue { $0 } }

    /// Writes the requests until the mock stops.
    func write(_ mock: MockServer) async {
        var next = 1
        while let arrivals = await mock.arrivals(from: next, atMost: 1000), let last = arrivals.last {
            var writer: [UInt8] = []
            for arrival in arrivals {
                var line = JSONWriter()
                line.object { PushForm.write(arrival, to: &$0, remedy: \.textWithFlags) }
                writer += line.bytes
                writer.append(0x0A)
            }
            guard put(writer) else { return }
            next = last.number + 1
        }
    }

    private func put(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                let why = String(cString: strerror(errno))
                failure.withLockedValue { $0 = "The file \"\(path)\" of --dump cannot be written (\(why))." }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
