import Foundation
import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite struct OutcomeMailboxTests {
    private func send(
        _ index: Int, to mailbox: OutcomeMailbox,
        _ outcome: PushOutcome = .accepted(PushOutcome.Acceptance(apnsID: "", uniqueID: nil, trace: .sample))
    ) throws -> SequencedSend {
        let contents = PendingSend.Contents(
            fields: .none, body: [], id: nil, begun: .at(0), deadline: .never, expires: .never)
        let send = SequencedSend(contents, try .sample(), index: index, mailbox: mailbox)
        send.conclude(outcome)
        return send
    }

    @Test func `a mailbox lives as long as notifications are in flight, and no longer`() throws {
        weak var mailbox: OutcomeMailbox?
        var send: SequencedSend?
        do {
            let made = OutcomeMailbox(room: { 1 }, cancelSends: { _ in })
            mailbox = made
            let expected = try self.send(0, to: made)
            #expect(made.expect(expected))
            send = expected
        }
        #expect(mailbox != nil)
        send?.deliver()
        #expect(mailbox == nil)
    }

    @Test func `what is delivered twice counts once`() async throws {
        let mailbox = OutcomeMailbox(room: { 2 }, cancelSends: { _ in })
        let sends = [try send(0, to: mailbox), try send(1, to: mailbox)]
        for send in sends { #expect(mailbox.expect(send)) }
        mailbox.deliver([sends[0], sends[0]])
        mailbox.deliver([sends[0]])
        sends[1].deliver()
        mailbox.finish(nil)
        var messages: [OutcomeMailbox.Message] = []
        try await mailbox.fetch(into: &messages)
        #expect(messages.reversed().map { $0.takeResult().index } == [0, 1])
        messages = []
        try await mailbox.fetch(into: &messages)
        #expect(messages.isEmpty)
        withExtendedLifetime(mailbox) {}
    }

    /// Delivers this number of outcomes after the last was read, and returns what is thrown at the end and after it.
    private func ends(_ count: Int, _ outcome: PushOutcome) async throws -> [(any Error)?] {
        let breaker = OutcomeMailbox.Breaker(
            watch: MismatchWatch(.init(share: 1, window: 20)),
            diagnose: { PushMismatch($0, topic: $1.topic, environment: .sandbox) },
            stopped: { _ in }, withdraw: { _, _ in })
        let mailbox = OutcomeMailbox(room: { 100 }, breaker: breaker, cancelSends: { _ in })
        let sends = try (0..<count).map { try send($0, to: mailbox, outcome) }
        for send in sends { #expect(mailbox.expect(send)) }
        mailbox.finish(nil)
        mailbox.deliver((sends as [PendingSend])[...])
        var messages: [OutcomeMailbox.Message] = []
        try await mailbox.fetch(into: &messages)
        #expect(messages.count == count)
        var ends: [(any Error)?] = []
        for _ in 0..<2 {
            messages = []
            do {
                try await mailbox.fetch(into: &messages)
                ends.append(nil)
            } catch {
                ends.append(error)
            }
        }
        return ends
    }

    @Test func `what stops it after the last was read is thrown at its end, once`() async throws {
        let bad = PushOutcome.rejected(.sample(400, .badDeviceToken))
        let mismatch = try await ends(20, bad)
        #expect(mismatch[0] is PushMismatch)
        #expect(mismatch[1] == nil)
        let few = try await ends(19, bad)
        #expect(few[0] == nil)
        let unsent = PushOutcome.notSent(
            PushOutcome.NotSent(cause: .credentials, phase: .queue, description: "They are refused.", trace: .sample))
        let refused = try await ends(20, unsent)
        #expect((refused[0] as? PushCredentialsRefused)?.reason == "They are refused.")
        #expect(refused[1] == nil)
    }

    @Test func `a sequence has not come to its end while its stop is reported`() {
        var state = OutcomeMailbox.State(unsent: UnsentWatch())
        state.isFinished = true
        #expect(state.isDone)
        state.isStopping = true
        #expect(!state.isDone)
    }

    /// The end waits, however soon the reader comes, for somebody who is slow to write down why.
    @Test func `the cause of the stop is reported before the sequence throws it`() async throws {
        let hasEnded = Watched(false)
        let endedTooSoon = Watched<Bool?>(nil)
        let breaker = OutcomeMailbox.Breaker(
            watch: MismatchWatch(.init(share: 1, window: 20)),
            diagnose: { PushMismatch($0, topic: $1.topic, environment: .sandbox) },
            stopped: { _ in
                // In time for a reader that does not wait.
                Thread.sleep(forTimeInterval: 0.05)
                endedTooSoon.change { $0 = hasEnded.value }
            }, withdraw: { _, _ in })
        let mailbox = OutcomeMailbox(room: { 100 }, breaker: breaker, cancelSends: { _ in })
        let sends = try (0..<20).map { try send($0, to: mailbox, .rejected(.sample(400, .badDeviceToken))) }
        for send in sends { #expect(mailbox.expect(send)) }
        mailbox.finish(nil)
        let reading = Task {
            defer { hasEnded.change { $0 = true } }
            var messages: [OutcomeMailbox.Message] = []
            while true {
                try await mailbox.fetch(into: &messages)
                if messages.isEmpty { return }
                messages = []
            }
        }
        Thread { mailbox.deliver((sends as [PendingSend])[...]) }.start()
        await #expect(throws: PushMismatch.self) { try await reading.value }
        #expect(endedTooSoon.value == false)
    }

    @Test func `what was fetched counts against the room like what is in flight`() {
        var state = OutcomeMailbox.State(unsent: UnsentWatch())
        (state.underWayCount, state.fetched) = (3, 2)
        #expect(state.free(10) == 5)
    }

    @Test func `with room for one, one after the other goes in`() async throws {
        let mailbox = OutcomeMailbox(room: { 1 }, cancelSends: { _ in })
        for index in 0..<3 {
            #expect(await mailbox.waitForRoom() == 1)
            let send = try send(index, to: mailbox)
            #expect(mailbox.expect(send))
            let room = Task { await mailbox.waitForRoom() }
            send.deliver()
            var messages: [OutcomeMailbox.Message] = []
            try await mailbox.fetch(into: &messages)
            #expect(messages.map { $0.takeResult().index } == [index])
            // What was fetched counts until the reader comes again.
            let reading = Task {
                var messages: [OutcomeMailbox.Message] = []
                try await mailbox.fetch(into: &messages)
            }
            #expect(await room.value == 1)
            mailbox.cancel()
            mailbox.finish(nil)
            try await reading.value
            break
        }
    }
}
