import APNSVocabulary
import MockAPNs
import Testing

/// A way to spoil a good request, and what must come of it.
struct RejectionCase: Sendable, CustomTestStringConvertible {
    let what: String
    let check: String
    let reason: RejectionReason
    let status: Int
    let confidence: MockFactConfidence
    let spoil: @Sendable (inout Trial) -> Void

    init(
        _ what: String,
        _ check: String,
        _ reason: RejectionReason,
        _ status: Int,
        _ confidence: MockFactConfidence = .confirmed,
        spoil: @escaping @Sendable (inout Trial) -> Void
    ) {
        self.what = what
        self.check = check
        self.reason = reason
        self.status = status
        self.confidence = confidence
        self.spoil = spoil
    }

    var testDescription: String { what }
}

@Suite struct RejectionTests {
    @Test func `a request without a fault is accepted`() {
        let verdict = Trial { $0.apns.devices.register(try? Trial.device(["com.example.app"])) }.verdict
        #expect(
            verdict
                == MockVerdict(
                    status: 200,
                    messageID: .text(Trial.id),
                    uniqueID: "abcdef00-0000-0000-0000-000000000001",
                    fact: .accepted,
                    delivery: .delivered
                )
        )
        #expect(verdict.body.isEmpty)
    }

    @Test(arguments: RejectionCases.all)
    func `a fault gets the reason, the status and the confidence of its check`(fault: RejectionCase) {
        let verdict = Trial(fault.spoil).verdict
        #expect(verdict.check == fault.check)
        #expect(verdict.reason == fault.reason)
        #expect(verdict.status == fault.status)
        #expect(verdict.fact.confidence == fault.confidence)
        #expect(verdict.detail?.isEmpty == false)
        #expect(verdict.allowances.isEmpty)
        #expect(verdict.uniqueID == nil)
    }

    @Test func `every check of the table is reached`() {
        #expect(Set(Check.all.map(\.name)) == Set(RejectionCases.all.map(\.check)))
        #expect(Set(Check.table.map(\.name)).count == Check.table.count)
        #expect(Set(Check.all.map(\.name)).count == Check.all.count)
    }

    @Test func `every reason that a judgement can bring is reached`() {
        let notFromHere: Set<RejectionReason> = [
            .forbidden, .idleTimeout, .internalServerError, .shutdown,
        ]
        let reached = Set(RejectionCases.all.map(\.reason))
        #expect(reached == Set(RejectionReason.known).subtracting(notFromHere))
    }

    @Test func `a token of the same app is said to be for another kind of push`() {
        for fault in RejectionCases.all where fault.reason == .deviceTokenNotForTopic {
            let detail = Trial(fault.spoil).verdict.detail
            let saysKind = detail?.contains("of the same app, but for another kind of push") == true
            #expect(saysKind == (fault.check == "device kind"), "\(fault): \(detail ?? "")")
        }
    }

    @Test func `no rejection shows a whole device token`() {
        for fault in RejectionCases.all {
            let verdict = Trial(fault.spoil).verdict
            let text = "\(verdict.detail ?? "") \(verdict.remedy?.description ?? "")"
            #expect(!text.contains(Trial.hex))
        }
    }
}

extension DeviceRegistry {
    /// Spares the table of cases a `try` in every line.
    mutating func register(_ device: MockDevice?) {
        if let device { register(device) }
    }
}
