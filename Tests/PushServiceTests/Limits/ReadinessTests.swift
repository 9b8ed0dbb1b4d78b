import PushHTTP
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// Probes of the disk that others cause, and answers that take too long.
@Suite struct ReadinessTests {
    @Test func `all who ask within a moment share one probe`() async throws {
        let time = ManualTime()
        let probes = Watched(0)
        let readiness = Readiness(age: .seconds(1)) {
            time.instant
        } probe: {
            probes.change { $0 += 1 }
            return probes.value > 1 ? .failure(QueueError(.diskFull, "full")) : .success(())
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await readiness.check() } }
            try await group.waitForAll()
        }
        #expect(probes.value == 1)
        time.advance(by: .milliseconds(999))
        try await readiness.check()
        #expect(probes.value == 1)
        time.advance(by: .milliseconds(1))
        await #expect(throws: QueueError.self) { try await readiness.check() }
        #expect(probes.value == 2)
    }

    @Test func `the deadline of a request stands still while the service waits for the client`() throws {
        let time = ManualTime()
        let deadline = RequestDeadline(.seconds(15)) { time.instant }
        let isOver = Watched(false)
        let answers = Watched(0)
        deadline.whenOver {
            isOver.change { $0 = true }
            answers.change { $0 += 1 }
        }
        func pass(_ seconds: Int) {
            time.advance(by: .seconds(seconds))
            deadline.check(time.instant)
        }
        pass(14)
        try deadline.pause()
        // A part that waits, too, lets the time run on only for itself.
        try deadline.pause()
        deadline.resume()
        pass(100)
        #expect(!isOver.value)
        deadline.renew()
        deadline.resume()
        pass(14)
        #expect(!isOver.value)
        deadline.shorten(to: .seconds(5))
        pass(1)
        #expect(isOver.value)
        // Nothing reads the body of a request that was answered.
        #expect(throws: DeadlinePassed.self) { try deadline.pause() }
        pass(100)
        #expect(answers.value == 1)
    }

    @Test func `a request that takes too long gets 503, and its place is free`() async throws {
        let (mayEnd, end) = AsyncStream<Void>.makeStream()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        defer { end.finish() }
        let log = CapturedLog()
        try await RunningService.with(
            logger: log.logger,
            statuses: {
                begin.finish()
                for await _ in mayEnd {}
                return []
            }
        ) { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            async let asked = connection.ask("GET", "/v1/st%61tus", key: key)
            for await _ in begun {}
            service.time.advance(by: .seconds(15))
            let answer = try await asked
            #expect(answer.status == 503 && answer.string("code") == "too_slow")
            #expect(answer.headers["retry-after"] != nil)
            // The log has the path of the route. That of the request can have a device token.
            #expect(log.lines.contains { $0.contains("in time") && $0.contains("/v1/status") })
            // The connection goes on, and what doesn't need the slow part is answered.
            #expect(try await connection.ask("POST", "/v1/notifications", push(), key: key).status == 202)
            end.finish()
        }
    }

    @Test func `a client that takes its time is not cut off`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            try await connection.begin(
                "/v1/notifications", "{", key: key, length: push().utf8.count, type: "application/json")
            // A request that waits for its outcome for longer than the deadline, beside it.
            let isAnswered = Watched(false)
            let waited = Task {
                defer { isAnswered.change { $0 = true } }
                return try await service.ask("POST", "/v1/notifications?wait=2s", push(), key: key).status
            }
            while service.service.api.parts.waiters.count == 0, !isAnswered.value { await Task.yield() }
            service.time.advance(by: .seconds(3600))
            #expect(try await waited.value == 202)
            try await connection.send(String(push().dropFirst()))
            #expect(await connection.answer().status == 202)
        }
    }
}
