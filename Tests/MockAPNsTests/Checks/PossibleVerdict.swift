import APNSVocabulary

@testable import MockAPNs

/// A verdict that the mock can give, without its ids and texts. `Tests/VERDICTS.md` lists all of them.
struct PossibleVerdict: Hashable, Sendable {
    /// The HTTP status of the answer.
    enum Status: Hashable, Sendable {
        /// This status.
        case exactly(Int)
        /// None, because the request is neither checked nor answered. ``MockVerdict/status`` is 0.
        case none
        /// The status that a fault demands.
        case any
    }

    /// The HTTP status.
    let status: Status
    /// The reason of a rejection; `nil` if there is none, or if a fault chooses it.
    let reason: RejectionReason?
    /// The fact that the verdict is based on.
    let fact: MockFact
    /// The name of the property of ``MockVariants`` that can be any other reason; `nil` if there is none.
    let setting: String?

    private init(_ status: Status, _ fact: MockFact, _ reason: RejectionReason? = nil, setting: String? = nil) {
        self.status = status
        self.reason = reason
        self.fact = fact
        self.setting = setting
    }

    /// All verdicts: acceptances, then rejections in the order of the checks, then requests without an answer of APNs.
    static let all: [PossibleVerdict] = acceptances + Check.all.flatMap(rejections) + withoutChecks

    private static let acceptances = [
        PossibleVerdict(.exactly(200), .accepted),
        PossibleVerdict(.exactly(200), .acceptedAboutChannels),
        PossibleVerdict(.exactly(201), .acceptedAboutChannels),
        PossibleVerdict(.exactly(204), .acceptedAboutChannels),
    ]

    private static func rejections(by check: Check) -> [PossibleVerdict] {
        check.reasons.map {
            PossibleVerdict(.exactly($0.statusOfMock), check.fact, $0, setting: check.setting)
        }
    }

    private static let withoutChecks = [
        PossibleVerdict(.none, .malformedRequest), PossibleVerdict(.none, .unsupportedRequest),
        PossibleVerdict(.none, .streamsBeforeSettings), PossibleVerdict(.none, .streamsBeyondSettings),
        PossibleVerdict(.none, .unfinishedRequest), PossibleVerdict(.none, .forced), PossibleVerdict(.any, .forced),
    ]

    /// Whether a verdict of the mock is this one.
    func matches(_ verdict: MockVerdict) -> Bool {
        guard verdict.fact == fact else { return false }
        return switch status {
        case .exactly(let status): verdict.status == status && verdict.reason == reason
        case .none: verdict.status == 0 && verdict.reason == nil
        case .any: verdict.status != 0
        }
    }
}

extension MockFact {
    /// All facts of the mock, each once: those of verdicts, of allowances and of the rules about behaviour.
    static let all: [MockFact] = {
        let facts =
            PossibleVerdict.all.map(\.fact) + Allowance.all.map(\.fact) + BehaviourRule.all.map(\.fact)
        var ids: Set<String> = []
        return facts.filter { ids.insert($0.id).inserted }
    }()
}
