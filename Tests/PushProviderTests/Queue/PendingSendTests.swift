import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite struct PendingSendTests {
    /// A continuation that is resumed twice ends the process.
    @Test func `an outcome is reported once, and the first one counts`() async {
        let send = PendingSend.sample()
        await withUnsafeContinuation { continuation in
            send.continuation = continuation
            send.end(.notSent(PushOutcome.NotSent(cause: .deadline, phase: .queue, description: "", trace: .sample)))
            send.end(.notSent(PushOutcome.NotSent(cause: .cancelled, phase: .queue, description: "", trace: .sample)))
        }
        guard case .notSent(let notSent) = send.deliveredOutcome else {
            Issue.record("unexpected: \(send.deliveredOutcome)")
            return
        }
        #expect(notSent.cause == .deadline)
        #expect(send.continuation == nil)
    }

    @Test func `what counts against the queue's bound is the request, headers and body`() throws {
        let fields = try RequestHeaders(.sample(), id: nil).fields
        let send = PendingSend(.init(fields: fields, body: [1, 2, 3], begun: .at(0), deadline: .never))
        #expect(send.byteCount == fields.byteCount + 3)
        #expect(fields.byteCount > 100)
    }
}
