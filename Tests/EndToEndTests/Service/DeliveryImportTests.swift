import Foundation
import TestSupport
import Testing

/// `pushserve` imports Apple's delivery counts, from the mock, which plays Apple's export.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct DeliveryImportTests {
    private static let token = "s3cr3t-export-token"

    private func service(_ mock: RunningMock) async throws -> RunningPushserve {
        try mock.workspace.write("\(Self.token)\n", to: "export.token")
        let ready = try ["key_file", "key_id", "team_id"].map { try #require(mock.ready[$0]?.string) }
        return try await RunningPushserve(
            before: mock,
            credentials: """
                key: {file: \(ready[0]), id: \(ready[1]), team: \(ready[2])}
                    delivery: {policy: at_most_once, token_file: export.token}
                """)
    }

    @Test func `what Apple counts of three days ago is there soon after the start`() async throws {
        try await RunningMock.with("--set", "future_tolerance=400000s") { mock in
            let note = JSON(parsing: try mock.workspace.read("mock/running.json"))
            let clock = "http://127.0.0.1:\(try #require(note["consolePort"]?.integer))/v1/clock"
            let day = Date().addingTimeInterval(-3 * 86_400).formatted(.iso8601)
            func setClock(_ time: String) async throws {
                try await mock.workspace.prepare(
                    "curl -sS --fail -X PUT \(clock) -H 'content-type: application/json' -d '{\"now\":\"\(time)\"}'")
            }
            try await setClock(day)
            for number in 1...3 { #expect(try await mock.send("-m", "Hello \(number)").status == 0) }
            try await setClock("system")

            let service = try await service(mock)
            let key = try await service.key("read")
            var found = JSON(parsing: "{}")
            while found["import"]?["imported_at"] == nil {
                found = try await service.curl("/v1/delivery", key: key)
                #expect(found["import"]?["failure"] == nil, "\(found)")
            }
            let item = try #require(found["items"]?.elements.first { $0["counts"] != nil }, "\(found)")
            #expect(item["day"]?.string == String(day.prefix(10)) && item["push_type"]?.string == "alert")
            #expect(item["counts"]?["delivered"]?.integer == 3 && item["accepted"]?.integer == 0)
            #expect(item["explanation"]?.string?.contains("other senders") == true)
            await service.end()
        }
    }

    @Test func `the check says whether the file with the token can be used`() async throws {
        try await RunningMock.with { mock in
            let service = try await service(mock)
            for (make, status, words) in [
                ("chmod 600 export.token", Int32(0), "ok       shop: delivery: "),
                ("echo two words > export.token", 77, "which is one word"),
                (": > export.token", 77, "failed   shop: delivery: "),
                ("rm export.token; mkfifo export.token", 77, "isn't a file"),
            ] {
                try await mock.workspace.prepare(make)
                let check = try await mock.workspace.start(
                    BuiltProgram.pushserve, ["check", "--config", "pushserve.yaml"]
                ).end()
                #expect(check.status == status && check.output.contains(words), "\(make): \(check.output)")
            }
            await service.end()
        }
    }

    @Test(arguments: [("FAILED", "couldn't make the export"), ("EXPIRED", "Request a new one")])
    func `a failure is in the status and once in the log, without the token`(status: String, words: String) async throws
    {
        try await RunningMock.with("--set", "export_status=\(status)") { mock in
            let service = try await service(mock)
            let key = try await service.key("read,send")
            var failure: String?
            while failure == nil {
                failure = try await service.curl("/v1/status", key: key)["apps"]?.elements.first?["delivery"]?[
                    "failure"]?
                    .string
            }
            #expect(failure?.contains(words) == true)
            // Nothing else stops.
            let push = #"{"token":"\#(RunningMock.token)","payload":{"aps":{"alert":"Hello"}}}"#
            let outcome = try await service.outcome(of: push, key: key)
            #expect(outcome["kind"]?.string == "accepted", "\(outcome)")
            service.program.terminate()
            let ended = await service.program.end()
            #expect(ended.status == 0)
            #expect(ended.errorLines.count { $0.contains("can't be imported") } == 1, "\(ended.errors)")
            #expect(!(ended.output + ended.errors).contains(Self.token))
        }
    }
}
