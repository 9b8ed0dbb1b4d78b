import PushCommandLine
import Testing

@testable import PushProvider
@testable import pushsend

@Suite struct SendReportTests {
    private static let trace = PushOutcome.Trace(queued: .zero, inFlight: .zero, attempts: 0, connection: nil)

    private func status(_ cause: PushOutcome.Cause, _ phase: PushOutcome.Phase) -> PushCommandLine.ExitStatus {
        let notSent = PushOutcome.NotSent(cause: cause, phase: phase, description: "", trace: Self.trace)
        let report = SendReport(json: true, isOne: true, explainsAll: false, host: "")
        return report.status(of: .notSent(notSent))
    }

    /// A script that tries again on 75 must not send the rest of a list of wrong tokens.
    @Test func `what a stopped sequence has not sent counts as the rejections before it`() {
        #expect(status(.mismatch, .queue) == .rejected)
        #expect(status(.deadline, .queue) == .tryAgain)
        #expect(status(.credentials, .queue) == .credentials)
        #expect(status(.noConnection, .tcp) == .cannotConnect)
    }

    @Test func `a superseded push leaves nothing to do, and is counted on its own`() {
        #expect(status(.superseded, .queue) == .success)
        var tally = SendTally()
        let acceptance = PushOutcome.Acceptance(apnsID: "", trace: Self.trace)
        tally.add(.accepted(acceptance), .success)
        tally.add(.notSent(PushOutcome.NotSent(cause: .superseded, trace: Self.trace)), .success)
        #expect(tally.summary == "2 pushes: 1 accepted, 1 superseded.")
        #expect(tally.worst == .success)
    }

    @Test func `an outcome has its colour where colours are wanted, and nothing else has one`() {
        let notSent = PushOutcome.NotSent(cause: .deadline, phase: .queue, description: "", trace: Self.trace)
        let report = SendReport(json: false, isOne: true, explainsAll: false, host: "")
        #expect(report.text(.notSent(notSent), colours: false) == "not sent  deadline")
        #expect(report.text(.notSent(notSent), colours: true) == "\u{1B}[1;33mnot sent\u{1B}[0m  deadline")
        var lines = PrintableLines()
        lines.write("400\u{1B}[2J", .red)
        #expect(String(decoding: lines.bytes, as: UTF8.self) == "\u{1B}[1;31m400\u{FFFD}[2J\u{1B}[0m")
    }

    @Test(arguments: [PushOutcome.Phase.dns, .tcp, .proxy, .tls, .settings])
    func `a deadline that passes while it connects is no connection`(phase: PushOutcome.Phase) {
        #expect(status(.deadline, phase) == .cannotConnect)
    }
}
