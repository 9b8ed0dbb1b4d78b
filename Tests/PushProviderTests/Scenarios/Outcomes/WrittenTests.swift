import NIOCore
import NIOPosix
import PushWire
import TestSupport
import Testing

@testable import PushProvider

extension HeavyTests {
    /// A server that reads nothing: what is written is what its kernel and ours have room for.
    @Suite struct WrittenTests {
        private static let count = 3000

        /// A client with more on its way than the kernel takes: what is written, what waits in the process and what is
        /// still queued are all there.
        private func stalled(timeout: Duration? = nil) async throws -> (ScriptedServer, PushClient, [Sending]) {
            let server = try await ScriptedServer.start(
                ServerScript(
                    settings: HTTP2Settings(maxConcurrentStreams: 10_000, initialWindowSize: 1 << 20),
                    receiveBuffer: 16 * 1024,
                    onRequest: { $0.connection == 1 && $0.number > 1 ? [] : [.answer($0.streamID, 200)] }
                ))
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let time = StoppableTime()
            let client = try PushClient.sample(.local(port: server.port), group: loop, time: time) {
                $0.streamsPerConnection = 10_000
            }
            #expect(try await client.outcome(of: .sample()).summary == "accepted")
            let connection = try await server.connection(1)
            try await connection.perform(.frame(Frame.windowUpdate(0, by: 1 << 30)))
            try await connection.settle()
            try await connection.perform(.stopReading)
            let text = String(repeating: "x", count: 4000)
            let notification = try PushNotification.sample { $0.payload = .alert(body: text) }
            // No deadline passes before the kernel has all that it takes.
            let sendings = try await time.whileStopped {
                var sendings: [Sending] = []
                // A few at a time, so that headers and bodies take turns: a busy connection takes them within a millisecond.
                while sendings.count < Self.count {
                    let later = Duration.milliseconds(2 * sendings.count / 5)
                    sendings += await client.start(
                        Array(repeating: notification, count: 5), timeout: timeout.map { $0 + later })
                    try await loop.scheduleTask(in: .milliseconds(2)) {}.futureResult.get()
                }
                return sendings
            }
            return (server, client, sendings)
        }

        private func counts(_ sendings: [Sending]) async throws -> [String: Int] {
            try await sendings.summaries.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }

        @Test func `what the kernel took is unknown, what it did not take was not sent`() async throws {
            let (server, client, sendings) = try await stalled()
            try await server.connection(1).perform(.abort)
            let counts = try await counts(sendings)
            #expect(
                Set(counts.keys) == ["unknown: connection_lost, wait", "not sent: connection_lost, write", "accepted"])

            // Nothing is sent twice by itself.
            var again: Set<String> = []
            for sending in sendings {
                guard case .accepted(let acceptance) = try await sending.value else { continue }
                #expect(acceptance.trace.connection == 2)
                again.insert(acceptance.apnsID)
            }
            #expect(try await server.connection(2).record.value.requests.count == counts["accepted"])
            #expect(try await client.outcome(of: .sample()).summary == "accepted")
        }

        @Test func `a GOAWAY below them takes back what was written and what was not`() async throws {
            let (server, client, sendings) = try await stalled()
            try await server.connection(1).perform(.goAway(lastStreamID: 1))
            let counts = try await counts(sendings)
            #expect(Set(counts.keys) == ["not sent: refused, wait", "accepted"])
            #expect(try await server.connection(2).record.value.requests.count == counts["accepted"])
            #expect(try await client.outcome(of: .sample()).connection == 2)
        }

        @Test func `a shutdown without patience tells the three apart`() async throws {
            let (server, client, sendings) = try await stalled()
            await client.shutdown(drainTime: .zero)
            let counts = try await counts(sendings)
            let expected: Set = [
                "unknown: connection_lost, wait", "not sent: connection_lost, write", "not sent: shutdown, queue",
            ]
            #expect(Set(counts.keys) == expected)
            #expect(server.connections.count == 1)
        }

        @Test func `when the deadline passes, only what left the queue is unknown`() async throws {
            let (server, _, sendings) = try await stalled(timeout: .seconds(3))
            let counts = try await counts(sendings)
            #expect(counts.keys.contains("unknown: deadline, wait"))
            // What was written in part, and then ended with its deadline or with the connection.
            #expect(
                !Set(["unknown: deadline, write", "not sent: connection_lost, write"]).isDisjoint(with: counts.keys))
            // After many deadlines, the client leaves the connection. What its successor still had time for was accepted, the rest ended in
            // the queue. On a busy machine, the client leaves it before all deadlines.
            let possible =
                /^(unknown: deadline, (wait|write)|unknown: connection_lost, wait|not sent: (deadline|connection_lost), )/
            for outcome in counts.keys where outcome != "accepted" { #expect(outcome.contains(possible)) }
            let again = server.connections.dropFirst().reduce(0) { $0 + $1.record.value.requests.count }
            #expect(again >= counts["accepted", default: 0])
        }
    }
}
