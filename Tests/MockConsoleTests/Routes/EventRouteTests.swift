import HTTPTypes
import MockAPNs
import PushProvider
import TestSupport
import Testing

@testable import MockConsole

@Suite(.timeLimit(.minutes(10))) struct EventRouteTests {
    @Test func `a stream of events ends with the console`() async throws {
        let console = try await Console()
        try await console.push()
        let events = Watched("")
        async let answer = console.ask(.get, "/v1/events?after=0", arriving: events)
        try await events.texts("retry: 1000")
        console.api.end()
        #expect(await answer.status == 200)
        #expect(await answer.text.hasPrefix("retry: 1000\n\n"))
        await console.end()
    }

    @Test(arguments: [("?after=9223372036854775807", nil), ("", "9223372036854775807")])
    func `the largest number ends nothing`(query: String, last: String?) async throws {
        let console = try await Console()
        let events = Watched("")
        async let answer = console.ask(
            .get, "/v1/events\(query)", headers: last.map { [("last-event-id", $0)] } ?? [], arriving: events)
        try await events.texts("event: gap")
        console.api.end()
        #expect(await answer.text.contains("event: gap"))
        await console.end()
    }
}
