import MockAPNs
import MockConsole

/// The samples in the doc comments of the mock. They are compiled and not run: the comment of each type says what it does.
enum CommentSamples {
    static func server() async throws {
        let mock = try await MockServer.start()
        // point the sender under test at mock.host, mock.port, mock.credentials
        let arrival = try await mock.arrival(1, within: .seconds(5))
        await mock.stop()
        print(arrival)
    }

    static func console() async throws {
        let mock = try await MockServer.start()
        let console = try await MockConsole.start(for: mock)
        // curl http://127.0.0.1:\(console.port)/v1/pushes
        await console.stop()
    }

    static func expectation(_ mock: MockServer) async throws -> MockArrivalExpectation.Result {
        let one = try MockArrivalExpectation(.exactly(1), of: MockArrivalSearch("topic:com.example.app title:Hello"))
        let result = await mock.check(one, within: .seconds(5))
        return result
    }

    static func fault(_ mock: MockServer) throws {
        try mock.inject(
            MockFault(when: MockFault.Matcher(topic: "com.example.app"), steps: [.answer(status: 503)], times: 2))
    }

    static func frame() -> MockFault.Step {
        .frame(MockFault.Frame(.pushPromise, flags: .endHeaders, on: .this, payload: .bytes([0, 0, 0, 2])))
    }

    static func answer() -> MockFault.Step {
        .answer(MockFault.Answer(status: 200) { $0.interim = [103] })
    }
}
