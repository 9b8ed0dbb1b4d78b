import Testing

@Suite(.takingTurns) struct TryCommandTests {
    @Test func `try shows a push from both sides and is accepted`() async throws {
        let place = try Workplace()
        let ended = try await place.pushsend("try", "-m", "Hello from here", "-t", "Title")
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(ended.output.contains("accepted  apns-id "))
        #expect(ended.output.contains("The mock received: POST /3/device/"))
        #expect(ended.output.contains("Hello from here"))
        #expect(ended.output.contains("answered 200"))
        #expect(!place.exists("home/state"))
    }

    @Test func `try --json prints one object`() async throws {
        let ended = try await Workplace().pushsend("try", "--json")
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(ended.output.split(separator: "\n").count == 1)
        #expect(ended.json["outcome"] == "accepted")
        #expect(ended.json["status"] == 200)
    }

    @Test func `try with a topic that is none says so`() async throws {
        expectRefusal(try await Workplace().pushsend("try", "--topic", "no topic"), 65, "no topic", "bundle id")
    }
}
