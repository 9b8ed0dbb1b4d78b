import PushPlatform
import PushProvider
import PushQueue
import Testing

@testable import PushDelivery

struct OutcomeTableTests {
    private static let now = QueueTime(milliseconds: 1_800_000_000_000)

    private func judge(
        _ outcome: PushOutcome, _ policy: QueueDeliveryPolicy = .atMostOnce, topic: TopicSource = .app
    ) -> (next: NextStep, signal: AppSignal) {
        OutcomeTable.judge(outcome, .init(policy: policy, topic: topic, now: Self.now))
    }

    private static func rejected(_ status: Int, _ reason: RejectionReason?) -> PushOutcome {
        .rejected(PushOutcome.Rejection(status: status, reason: reason))
    }

    @Test func `an acceptance is final`() {
        let id = UUID()
        let (next, signal) = judge(.accepted(PushOutcome.Acceptance(apnsID: "", uniqueID: id.uuidString)))
        var wanted = QueueJobOutcome(.accepted)
        (wanted.status, wanted.uniqueID) = (200, id)
        #expect(next == .finish(wanted))
        #expect(signal == .answered)
    }

    @Test(arguments: [
        (400, RejectionReason.badDeviceToken), (400, .deviceTokenNotForTopic), (413, .payloadTooLarge),
        (400, .badCollapseID),
    ])
    func `a rejection of the request is final`(status: Int, reason: RejectionReason) throws {
        let (next, signal) = judge(Self.rejected(status, reason))
        guard case .finish(let outcome) = next else { throw NotFinal() }
        #expect(outcome.kind == .rejected)
        #expect(outcome.reason == reason.rawValue)
        #expect(outcome.detail?.isEmpty == false)
        #expect(outcome.goneSince == nil)
        #expect(signal == .answered)
    }

    private struct NotFinal: Error {}

    @Test func `a token that is gone has the time of Apple, or else that of the queue`() throws {
        let since = Date(timeIntervalSince1970: 1_700_000_000)
        let cases: [(PushOutcome.Rejection, QueueTime?)] = [
            (PushOutcome.Rejection(status: 410, reason: .unregistered, timestamp: since), QueueTime(since)),
            (PushOutcome.Rejection(status: 410, reason: .expiredToken), Self.now),
            (
                PushOutcome.Rejection(
                    status: 410, reason: .unregistered, timestamp: since, registeredAt: since.addingTimeInterval(60)),
                nil
            ),
        ]
        for (rejection, gone) in cases {
            guard case .finish(let outcome) = judge(.rejected(rejection)).next else { throw NotFinal() }
            #expect(outcome.kind == .rejected)
            #expect(outcome.goneSince == gone)
        }
    }

    @Test(arguments: [
        (403, RejectionReason.invalidProviderToken), (403, .expiredProviderToken), (403, .badCertificate),
        (403, .missingProviderToken), (403, nil),
    ])
    func `refused credentials are never final`(status: Int, reason: RejectionReason?) {
        let (next, signal) = judge(Self.rejected(status, reason))
        #expect(next == .wait(reason: reason?.rawValue ?? "status 403"))
        guard case .refused(let correction) = signal else {
            Issue.record("\(signal)")
            return
        }
        #expect(correction.kind == .credentials)
    }

    @Test func `a refused topic waits for the operator, or is the mistake of the push that names it`() throws {
        let (next, signal) = judge(Self.rejected(400, .topicDisallowed))
        #expect(next == .wait(reason: "TopicDisallowed"))
        #expect(signal != .answered)
        let (other, otherSignal) = judge(Self.rejected(400, .topicDisallowed), topic: .push)
        guard case .finish(let outcome) = other else {
            Issue.record("\(other)")
            return
        }
        #expect(outcome.kind == .rejected)
        #expect(otherSignal == .answered)
        let (earlier, earlierSignal) = judge(Self.rejected(400, .topicDisallowed), topic: .earlierApp)
        guard case .finish(let buried) = earlier else { throw NotFinal() }
        #expect(buried.kind == .notSent && buried.reason == QueueJobOutcome.buried)
        #expect(earlierSignal == .answered)
        let unsent = judge(.notSent(PushOutcome.NotSent(cause: .topicRefused)), topic: .push)
        #expect(unsent.next == .again(asked: .seconds(60), reason: "topic_refused"))
        #expect(unsent.signal == .nothing)
    }

    @Test func `a busy server is tried again when it asks for it`() {
        let busy = PushOutcome.rejected(
            PushOutcome.Rejection(status: 503, reason: .serviceUnavailable, againAfter: .seconds(900)))
        let (next, signal) = judge(busy)
        #expect(next == .again(asked: .seconds(900), reason: "ServiceUnavailable"))
        #expect(signal == .failed(asked: .seconds(900)))
        // Too many requests to one device say nothing about the server.
        #expect(judge(Self.rejected(429, .tooManyRequests)).signal == .answered)
    }

    @Test(arguments: [
        (PushOutcome.Cause.deadline, NextStep.again(asked: nil, reason: "deadline"), AppSignal.failed(asked: nil)),
        (.noConnection, .again(asked: nil, reason: "no_connection"), .failed(asked: nil)),
        (.connectionLost, .again(asked: nil, reason: "connection_lost"), .failed(asked: nil)),
        (.refused, .again(asked: nil, reason: "refused"), .failed(asked: nil)),
        (.cancelled, .wait(reason: "cancelled"), .nothing),
        (.shutdown, .wait(reason: "shutdown"), .nothing),
        (.credentials, .wait(reason: "credentials"), .refused(AppCorrection(.credentials, "x"))),
        (.topicRefused, .wait(reason: "topic_refused"), .refused(AppCorrection(.topic, "x"))),
        (.mismatch, .wait(reason: "mismatch"), .refused(AppCorrection(.mismatch, "x"))),
    ])
    func `what was not sent is sent later, under both policies`(
        cause: PushOutcome.Cause, next: NextStep, signal: AppSignal
    ) {
        for policy in QueueDeliveryPolicy.allCases {
            let judged = judge(.notSent(PushOutcome.NotSent(cause: cause, description: "x")), policy)
            #expect(judged.next == next)
            #expect(judged.signal == signal)
        }
    }

    @Test func `what has expired is over`() {
        let judged = judge(.notSent(PushOutcome.NotSent(cause: .expired, description: "x")))
        #expect(judged.next == .finish(QueueJobOutcome(.notSent, reason: QueueJobOutcome.expired, detail: "x")))
    }

    @Test func `what a newer push has superseded is over, and says nothing about the app`() {
        for policy in QueueDeliveryPolicy.allCases {
            let judged = judge(.notSent(PushOutcome.NotSent(cause: .superseded, description: "x")), policy)
            #expect(judged.next == .finish(QueueJobOutcome(.notSent, reason: "superseded", detail: "x")))
            #expect(judged.signal == .nothing)
        }
    }

    @Test func `a connection that needs a correction pauses the app`() {
        var notSent = PushOutcome.NotSent(cause: .noConnection, description: "x")
        notSent.isConnectionHopeless = true
        #expect(judge(.notSent(notSent)).signal == .refused(AppCorrection(.connection, "x")))
    }

    @Test(arguments: [
        PushOutcome.Cause.deadline, .cancelled, .connectionLost, .streamReset, .malformedAnswer,
    ])
    func `an unknown outcome is final at most once, and sent again at least once`(cause: PushOutcome.Cause) {
        let outcome = PushOutcome.unknown(PushOutcome.Unknown(cause: cause, description: "x"))
        #expect(
            judge(outcome, .atMostOnce).next
                == .finish(QueueJobOutcome(.unknown, reason: cause.description, detail: "x")))
        #expect(
            judge(outcome, .atLeastOnce).next
                == .again(asked: nil, reason: cause.description, mayHaveArrived: true))
    }

    // MARK: Pauses and windows

    @Test func `pauses grow, and Apple's own are kept`() {
        let pause = RetryPause()
        #expect(pause.pause(attempts: 1, asked: nil, chance: 1) == .seconds(1))
        #expect(pause.pause(attempts: 1, asked: nil, chance: 0) == .milliseconds(500))
        #expect(pause.pause(attempts: 4, asked: nil, chance: 1) == .seconds(8))
        #expect(pause.pause(attempts: 100, asked: nil, chance: 1) == .seconds(900))
        #expect(pause.pause(attempts: 1, asked: .seconds(600), chance: 0) == .seconds(600))
        #expect(pause.pause(attempts: 100, asked: .seconds(1), chance: 1) == .seconds(900))
    }

    private static let bad = rejected(400, .badDeviceToken)
    private static let good = PushOutcome.accepted(PushOutcome.Acceptance(apnsID: ""))

    @Test func `a window of rejections stops the app, and fewer do not`() {
        var window = MismatchWindow(PushConfiguration.MismatchBreaker(window: 10))
        for number in 0..<9 { #expect(window.ended(Self.bad, of: .sample(number)) == nil) }
        #expect(window.isSuspicious)
        #expect(window.ended(Self.bad, of: .sample(9))?.kind == .mismatch)
        // An acceptance is never a reason to send again.
        #expect(window.ended(Self.good, of: .sample(10)) == nil)
        #expect(window.ended(Self.bad, of: .sample(11))?.kind == .mismatch)
    }

    @Test func `a few wrong tokens among good ones do not stop the app`() {
        var window = MismatchWindow(PushConfiguration.MismatchBreaker(window: 10))
        for number in 0..<1000 {
            #expect(window.ended(number % 10 < 3 ? Self.bad : Self.good, of: .sample(number)) == nil)
        }
        #expect(!window.isSuspicious)
    }

    @Test func `inactive tokens and malformed requests say nothing against the setup`() {
        var window = MismatchWindow(PushConfiguration.MismatchBreaker(window: 10))
        for number in 0..<100 {
            #expect(window.ended(Self.rejected(410, .unregistered), of: .sample(number)) == nil)
            #expect(window.ended(Self.rejected(413, .payloadTooLarge), of: .sample(number)) == nil)
        }
        #expect(!window.isSuspicious)
    }

    @Test func `at first only a window of jobs is in flight`() {
        var window = MismatchWindow(PushConfiguration.MismatchBreaker(window: 10))
        #expect(window.maximumInFlight == 10)
        for number in 0..<3 { _ = window.ended(Self.good, of: .sample(number)) }
        #expect(window.maximumInFlight == .max)
        #expect(MismatchWindow(nil).maximumInFlight == .max)
    }

    @Test func `a device token counts once, however often it is wrong`() {
        var window = MismatchWindow(PushConfiguration.MismatchBreaker(window: 10))
        for _ in 0..<1000 { #expect(window.ended(Self.bad, of: .sample(1)) == nil) }
        for number in 2..<10 { #expect(window.ended(Self.bad, of: .sample(number)) == nil) }
        #expect(window.ended(Self.bad, of: .sample(10))?.kind == .mismatch)
    }

    @Test func `the wrong device tokens of one key do not stop the app while those of another key are right`() {
        var window = MismatchWindow(PushConfiguration.MismatchBreaker(window: 10))
        #expect(window.ended(Self.good, of: .sample(1, sender: 1)) == nil)
        for number in 0..<300 { #expect(window.ended(Self.bad, of: .sample(number, sender: 2)) == nil) }
        #expect(!window.isSuspicious)
        // Wrong device tokens of both keys are the mistake of the setup.
        for number in 0..<2 { _ = window.ended(Self.bad, of: .sample(1000 + number, sender: 1)) }
        #expect(window.ended(Self.bad, of: .sample(2000, sender: 2))?.kind == .mismatch)
    }

    @Test func `what was added before the app was resumed counts no more`() {
        let now = QueueTime(milliseconds: 1000)
        var window = MismatchWindow(PushConfiguration.MismatchBreaker(window: 10), after: now)
        for number in 0..<300 { #expect(window.ended(Self.bad, of: .sample(number, queued: now)) == nil) }
        #expect(!window.isSuspicious(.sample(1, queued: now)))
        let later = now + .milliseconds(1)
        for number in 300..<309 { #expect(window.ended(Self.bad, of: .sample(number, queued: later)) == nil) }
        #expect(window.isSuspicious(.sample(1, queued: later)))
        #expect(window.ended(Self.bad, of: .sample(309, queued: later))?.kind == .mismatch)
    }
}

extension MismatchWindow.Source {
    fileprivate static func sample(
        _ token: Int, sender: Int? = nil, queued: QueueTime = QueueTime(milliseconds: 0)
    ) -> MismatchWindow.Source {
        MismatchWindow.Source(token: token, sender: sender, queued: queued)
    }
}
