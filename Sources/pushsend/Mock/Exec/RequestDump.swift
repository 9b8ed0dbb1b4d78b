import MockAPNs
import MockConsole
internal import NIOConcurrencyHelpers
import PushPlatform

/// A file with a JSON line for every request of a mock.
final class RequestDump: Sendable {
    private let file: ResultFile
    private let failure = NIOLockedValueBox<String?>(nil)

    /// Creates the file, or empties it.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be created.
    init(_ path: String) throws {
        file = try ResultFile(path, of: "--dump")
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
            do throws(CommandFailure) { try file.write(writer) } catch {
                failure.withLockedValue { $0 = error.message }
                return
            }
            next = last.number + 1
        }
    }
}
