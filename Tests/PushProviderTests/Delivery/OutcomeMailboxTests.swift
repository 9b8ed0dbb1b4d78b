import PushWire
import Testing

@testable import PushProvider

@Suite struct OutcomeMailboxTests {
    private func send(_ index: Int, to mailbox: OutcomeMailbox) throws -> SequencedSend {
        let contents = PendingSend.Contents(
            fields: .none, body: [], id: nil, begun: .at(0), deadline: .never, expires: .never)
        let send = SequencedSend(contents, try .sample(), index: index, mailbox: mailbox)
        send.conclude(.accepted(Acceptance(apnsID: "", uniqueID: nil, trace: .sample)))
        return send
    }

    @Test func `it lives as long as anything is under way, whoever has let it go, and no longer`() throws {
        weak var mailbox: OutcomeMailbox?
        var send: SequencedSend?
        do {
            let made = OutcomeMailbox(room: 1) { _ in }
            mailbox = made
            let expected = try self.send(0, to: made)
            #expect(made.expect(expected))
            send = expected
        }
        #expect(mailbox != nil)
        send?.tell()
        #expect(mailbox == nil)
    }

    @Test func `what is delivered twice counts once`() async throws {
        let mailbox = OutcomeMailbox(room: 2) { _ in }
        let sends = [try send(0, to: mailbox), try send(1, to: mailbox)]
        for send in sends { #expect(mailbox.expect(send)) }
        mailbox.deliver([sends[0], sends[0]])
        mailbox.deliver([sends[0]])
        sends[1].tell()
        mailbox.finish(nil)
        var letters: [OutcomeMailbox.Letter] = []
        try await mailbox.fetch(into: &letters)
        #expect(letters.reversed().map { $0.takeResult().index } == [0, 1])
        letters = []
        try await mailbox.fetch(into: &letters)
        #expect(letters.isEmpty)
        withExtendedLifetime(mailbox) {}
    }

    @Test func `with room for one, one after the other goes in`() async throws {
        let mailbox = OutcomeMailbox(room: 1) { _ in }
        for index in 0..<3 {
            #expect(await mailbox.waitForRoom() == 1)
            let send = try send(index, to: mailbox)
            #expect(mailbox.expect(send))
            let room = Task { await mailbox.waitForRoom() }
            send.tell()
            var letters: [OutcomeMailbox.Letter] = []
            try await mailbox.fetch(into: &letters)
            #expect(letters.map { $0.takeResult().index } == [index])
            // What was fetched counts until the reader comes again.
            let reading = Task {
                var letters: [OutcomeMailbox.Letter] = []
                try await mailbox.fetch(into: &letters)
            }
            #expect(await room.value == 1)
            mailbox.cancel()
            mailbox.finish(nil)
            try await reading.value
            break
        }
    }
}
