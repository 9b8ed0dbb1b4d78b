import Foundation
import MockAPNs
import PushWire
import ServiceLifecycle
import ServiceLifecycleTestKit
import TestSupport
import Testing

@testable import PushProvider

/// Sequences of notifications, and a client among services.
@Suite(.timeLimit(.minutes(10))) struct SequenceTests {
    /// So many notifications, and a record of how many were asked for.
    private struct Source: AsyncSequence, Sendable {
        var count: Int
        var read = Watched(0)
        var error: (any Error)?
        var payload = PushPayload.alert(body: "Hello")
        /// The sixth is not given before the reading is cancelled.
        var awaitsCancellation = false

        struct Iterator: AsyncIteratorProtocol {
            var source: Source
            var index = 0

            mutating func next() async throws -> PushNotification? {
                guard index < source.count else {
                    if let error = source.error { throw error }
                    return nil
                }
                if index == 5, source.awaitsCancellation {
                    let isCancelled = Watched(false)
                    _ = try await withTaskCancellationHandler {
                        try await isCancelled.wait(for: "the end of the reading") { $0 }
                    } onCancel: {
                        isCancelled.change { $0 = true }
                    }
                }
                index += 1
                let number = index
                source.read.change { $0 = number }
                return try .sample {
                    $0.collapseID = String(number - 1)
                    $0.payload = source.payload
                }
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(source: self) }
    }

    @Test func `each notification has one outcome, with its place`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                let index = Int(request.fields["apns-collapse-id"] ?? "") ?? 0
                return index % 10 == 7
                    ? [.answer(request.streamID, 410, body: #"{"reason":"Unregistered"}"#)]
                    : [.answer(request.streamID, 200)]
            }))
        let client = try PushClient.sample(to: server) { $0.queuedNotifications = 50 }
        var seen: Set<Int> = []
        for try await result in client.outcomes(of: Source(count: 1000)) {
            #expect(result.notification.collapseID == String(result.index))
            let expected = result.index % 10 == 7 ? "rejected 410 Unregistered" : "accepted"
            #expect(result.outcome.summary == expected)
            #expect(seen.insert(result.index).inserted)
        }
        #expect(seen == Set(0..<1000))
    }

    @Test func `no more is read than there is room for, however slow the one who reads`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server) { $0.queuedNotifications = 5 }
        let source = Source(count: 100)
        var iterator = client.outcomes(of: source).makeAsyncIterator()
        #expect(source.read.value == 0)
        for taken in 1...100 {
            #expect(try await iterator.next() != nil)
            #expect(source.read.value <= taken + 5)
        }
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test func `nor is more read of a sequence that never has to wait`() async throws {
        struct Ready: Sequence, IteratorProtocol, Sendable {
            let read: Watched<Int>
            var index = 0

            mutating func next() -> PushNotification? {
                guard index < 100 else { return nil }
                index += 1
                let number = index
                read.change { $0 = number }
                return try? .sample()
            }
        }
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server) { $0.queuedNotifications = 5 }
        let read = Watched(0)
        var iterator = client.outcomes(of: Ready(read: read)).makeAsyncIterator()
        for taken in 1...100 {
            #expect(try await iterator.next() != nil)
            #expect(read.value <= taken + 5)
        }
        #expect(try await iterator.next() == nil)
    }

    @Test func `an invalid notification is reported and the others are sent`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server)
        let notifications = try [PushPayload(json: "{"), .alert(body: "Hello")].map { payload in
            try PushNotification.sample { $0.payload = payload }
        }
        var words: [Int: String] = [:]
        for try await result in client.outcomes(of: notifications) {
            words[result.index] = result.outcome.summary
        }
        #expect(words == [0: "invalid", 1: "accepted"])
    }

    @Test func `an error of the sequence comes after the outcomes of what was before`() async throws {
        struct Mine: Error {}
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server)
        var count = 0
        await #expect(throws: Mine.self) {
            for try await result in client.outcomes(of: Source(count: 20, error: Mine())) {
                #expect(result.outcome.summary == "accepted")
                count += 1
            }
        }
        #expect(count == 20)
    }

    @Test func `a cancelled sequence reads no more and returns the outcome of each push in flight`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(2)))
        let client = try PushClient.sample(to: server) { $0.queuedNotifications = 10 }
        try await client.authenticate(at: server)
        let source = Source(count: 1000)
        let reading = Task {
            var summaries: [String] = []
            for try await result in client.outcomes(of: source) { summaries.append(result.outcome.summary) }
            return summaries
        }
        let connection = try await server.connection(1)
        _ = try await connection.request(3)
        try await source.read.wait(for: "the room to be used up") { $0 == 10 }
        reading.cancel()
        let summaries = try await reading.value
        #expect(summaries.count { $0 == "unknown: cancelled, wait" } == 2)
        #expect(summaries.count { $0 == "not sent: cancelled, queue" } == 8)
        #expect(summaries.count == 10)
        #expect(source.read.value == 10)
    }

    @Test func `cancelled between two outcomes, it ends what is under way at the next`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(11)))
        let client = try PushClient.sample(to: server) { $0.queuedNotifications = 10 }
        try await client.authenticate(at: server)
        let source = Source(count: 1000)
        let (isAnswered, isCancelled, isSeen) = (Watched(false), Watched(false), Watched(false))
        let reading = Task {
            var iterator = client.outcomes(of: source).makeAsyncIterator()
            var count = try await iterator.next() == nil ? 0 : 1
            // The next five are fetched together.
            try await isAnswered.wait(for: "five more answers") { $0 }
            count += try await iterator.next() == nil ? 0 : 1
            withUnsafeCurrentTask { $0?.cancel() }
            count += try await iterator.next() == nil ? 0 : 1
            isCancelled.change { $0 = true }
            try await isSeen.wait(for: "a look at the record") { $0 }
            while try await iterator.next() != nil { count += 1 }
            return count
        }
        let connection = try await server.connection(1)
        for number in 2...11 { _ = try await connection.request(number) }
        try await connection.answerOpen(200, maximum: 1)
        try await connection.answerOpen(200, maximum: 5)
        try await connection.settle()
        isAnswered.change { $0 = true }
        try await isCancelled.wait(for: "the third outcome") { $0 }
        try await connection.record.wait(for: "the others' ends") { $0.resets.count >= 4 }
        isSeen.change { $0 = true }
        #expect(try await reading.value == source.read.value)
    }

    @Test func `cancelled, it reads no more of what is invalid either`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server)
        let source = Source(count: 20_000, payload: PushPayload(json: "{"), awaitsCancellation: true)
        let reading = Task {
            var iterator = client.outcomes(of: source).makeAsyncIterator()
            for _ in 0..<5 { _ = try await iterator.next() }
            withUnsafeCurrentTask { $0?.cancel() }
            while try await iterator.next() != nil {}
        }
        try await reading.value
        #expect(source.read.value == 6)
    }

    @Test func `copies of an iterator give each outcome once`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server)
        var first = client.outcomes(of: Source(count: 60)).makeAsyncIterator()
        var indices: [Int] = []
        if let result = try await first.next() { indices.append(result.index) }
        var second = first
        while let result = try await first.next() {
            indices.append(result.index)
            if let other = try await second.next() { indices.append(other.index) }
        }
        #expect(try await second.next() == nil)
        #expect(indices.sorted() == Array(0..<60))
    }

    @Test func `an iterator that is let go cancels what is under way`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: {
                switch $0.number {
                case 1: [.answer($0.streamID, 200)]
                // All three have been written: the first of them has its answer now.
                case 4: [.answer(3, 200)]
                default: []
                }
            }))
        let client = try PushClient.sample(to: server)
        try await client.send(.sample())
        for try await _ in client.outcomes(of: Source(count: 3)) { break }
        let connection = try await server.connection(1)
        let record = try await connection.record.wait(for: "two resets") { $0.resets.count == 2 }
        #expect(record.resets.values.allSatisfy { $0 == .cancel })
    }

    // MARK: Among services

    @Test func `a graceful shutdown drains`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        let sending = try await client.start(.sample())
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        try await testGracefulShutdown { trigger in
            async let run: Void = client.run()
            trigger.triggerGracefulShutdown()
            try await connection.answerOpen(200)
            try await run
        }
        #expect(try await sending.summary == "accepted")
        #expect(try await client.outcome(of: .sample()).summary == "not sent: shutdown, queue")
        try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
    }

    @Test func `what cannot finish in time is reported`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server) {
            $0.drainTime = .milliseconds(100)
            // No machine is so slow that it comes first.
            $0.timeout = .seconds(600)
        }
        let sendings = try await client.start(2)
        _ = try await server.connection(1).request(1)
        try await testGracefulShutdown { trigger in
            async let run: Void = client.run()
            trigger.triggerGracefulShutdown()
            try await run
        }
        #expect(try await sendings.summaries == ["unknown: connection_lost, wait", "not sent: shutdown, queue"])
    }
}
