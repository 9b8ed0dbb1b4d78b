import TestSupport
import Testing

@testable import PushCampaign
@testable import PushProvider

/// Rejections that may be the fault of the setup count only when that is decided.
struct HeldRejectionsTests {
    private static func result(_ index: Int, _ outcome: PushOutcome) throws -> BatchResult {
        let text = Array("{\"token\":\"00\"}".utf8)
        let row = BatchRow(
            index: index, line: index + 1, file: 0, text: text, ref: nil, token: 10..<12, skipReason: nil)
        return BatchResult(row, try .sample(), outcome)
    }

    private static let rejected = PushOutcome.rejected(.sample(400, .badDeviceToken))
    private static let accepted = PushOutcome.accepted(
        PushOutcome.Acceptance(
            apnsID: "", uniqueID: nil,
            trace: PushOutcome.Trace(queued: .zero, inFlight: .milliseconds(3), attempts: 1, connection: 1)))

    @Test func `it is decided by as many answers as the breaker looks at`() throws {
        var held = HeldRejections(PushConfiguration.MismatchBreaker(share: 0.8, window: 10))
        let isHeld = held.hold(try Self.result(0, Self.rejected))
        #expect(isHeld)
        for index in 1...9 {
            let isHeld = held.hold(try Self.result(index, Self.accepted))
            #expect(!isHeld)
        }
        #expect(held.takeDecided().isEmpty)
        _ = held.hold(try Self.result(10, Self.accepted))
        #expect(held.takeDecided().map(\.index) == [0])
        #expect(held.count == 0)
    }

    @Test(arguments: [(2, 8, true), (3, 7, false), (0, 3, true), (9, 1, false)])
    func `most answers are those that the breaker takes for the fault of the setup`(
        accepted: Int, rejected: Int, isMost: Bool
    ) throws {
        var held = HeldRejections(PushConfiguration.MismatchBreaker(share: 0.8, window: 10))
        for index in 0..<accepted { _ = held.hold(try Self.result(index, Self.accepted)) }
        for index in 0..<rejected { _ = held.hold(try Self.result(accepted + index, Self.rejected)) }
        #expect(held.count == rejected)
        #expect(held.isMostOfAnswers == isMost)
        #expect(held.takeAll().count == rejected)
        #expect(!held.isMostOfAnswers)
    }

    @Test func `without a breaker nothing is kept back`() throws {
        var held = HeldRejections(nil)
        let isHeld = held.hold(try Self.result(0, Self.rejected))
        #expect(!isHeld)
    }

    @Test func `a line that the next run sends has no line of its own`() throws {
        let rejected = try Self.result(0, Self.rejected)
        #expect(!rejected.isReleased)
        var lines = BatchResultLines(files: [])
        lines.add(rejected.released)
        #expect(rejected.released.isReleased)
        #expect(lines.bytes.isEmpty)
    }
}
