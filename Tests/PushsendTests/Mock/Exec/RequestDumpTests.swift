import APNSVocabulary
import Foundation
import TestSupport
import Testing

@testable import MockAPNs
@testable import pushsend

@Suite struct RequestDumpTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var file: String { folder.path("dump") }

    private static func arrival(_ number: Int) -> MockArrival {
        let request = MockRequest(method: "POST", path: "/3/device/0f0f", fields: [], body: [], bodyByteCount: 0)
        let verdict = MockVerdict(status: 200, messageID: "", fact: .accepted)
        let sender = MockArrival.Sender(token: nil, certificate: nil, environment: .sandbox)
        return MockArrival(
            number: number, time: Date(timeIntervalSince1970: 0), connection: 1,
            judgedRequest: JudgedRequest(request, on: 1, verdict, by: sender))
    }

    private struct Line: Decodable {
        let namespace: String?
        let number: Int
    }

    /// Adds the requests of two mocks before anything is written, and reads the file.
    private func numbers(_ dump: RequestDump) async throws -> [String] {
        dump.add((1...3).map(Self.arrival), in: nil)
        dump.add((1...2).map(Self.arrival), in: "team-a")
        dump.finish()
        await dump.write()
        return try folder.text("dump").split(separator: "\n").map { line in
            let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
            return "\(line.namespace ?? "-") \(line.number)"
        }
    }

    @Test func `what waits at the end is written, in order`() async throws {
        let dump = try RequestDump(file)
        #expect(try await numbers(dump) == ["- 1", "- 2", "- 3", "team-a 1", "team-a 2"])
        #expect(dump.problem == nil)
    }

    @Test func `what does not fit into the memory for it is counted`() async throws {
        let dump = try RequestDump(file, limit: 2 * Self.arrival(1).byteCount)
        #expect(try await numbers(dump) == ["- 1", "- 2"])
        #expect(
            dump.problem
                == "3 requests are missing from the file of --dump: they arrived faster than it could be written.")
    }

    @Test func `a file that cannot be written is named, and nothing more is kept for it`() async throws {
        let dump = try RequestDump("/dev/full")
        dump.add([Self.arrival(1)], in: nil)
        dump.finish()
        await dump.write()
        #expect(dump.problem?.contains("The file \"/dev/full\" of --dump can't be written") == true)
    }
}
