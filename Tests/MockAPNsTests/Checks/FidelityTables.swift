import APNSVocabulary
import TestSupport

@testable import MockAPNs

/// The tables of `docs/mock-fidelity.md`, made from the code and from the tests.
enum FidelityTables {
    /// A test that shows a fact: the suite, and the name of the test or of its case.
    struct Shown: CustomStringConvertible {
        let suite: String
        let test: String

        init(_ suite: String, _ test: String) {
            self.suite = suite
            self.test = test
        }

        var description: String { "`\(suite)`: \(test)" }
    }

    // MARK: The checks

    static let checks =
        head("#", "stage", "check", "answer", "based on", "how sure")
        + Check.all.enumerated().map { offset, check in
            row(
                "\(offset + 1)", "\(check.stage)", check.name, answers(of: check), check.fact.statement,
                check.fact.confidence.rawValue)
        }.joined()

    /// What comes without any setting, and what only a setting brings.
    private static func answers(of check: Check) -> String {
        let cases = RejectionCases.all.filter { $0.check == check.name }
        var usual: [String] = []
        var set: [String] = []
        for fault in cases {
            let answer = "\(fault.status) \(fault.reason.rawValue)"
            let apns = Trial(fault.spoil).apns
            // A lower limit only makes the case short.
            var variants = apns.variants
            variants.channelLimit = MockVariants().channelLimit
            let isUsual = variants == MockVariants() && apns.unknownTokens == .accept
            if isUsual, !usual.contains(answer) { usual.append(answer) }
            if !isUsual, !set.contains(answer) { set.append(answer) }
        }
        let bySetting = set.filter { !usual.contains($0) }
        if usual.isEmpty { return "off; by setting \(bySetting.joined(separator: ", "))" }
        return bySetting.isEmpty
            ? usual.joined(separator: ", ")
            : "\(usual.joined(separator: ", ")); by setting \(bySetting.joined(separator: ", "))"
    }

    // MARK: The verdicts

    static let verdicts =
        head("verdict", "fact", "how sure", "test")
        + PossibleVerdict.all.map { verdict in
            row(
                text(verdict), "`\(verdict.fact.id)`", verdict.fact.confidence.rawValue,
                test(of: verdict)?.description ?? "")
        }.joined()

    private static func text(_ verdict: PossibleVerdict) -> String {
        switch verdict.status {
        case .none: return "no answer"
        case .any: return "any, by a fault"
        case .exactly(let status):
            let answer = "\(status) \(verdict.reason?.rawValue ?? "")".trimmingSuffix(" ")
            return verdict.setting.map { "\(answer), or the reason of `\($0)`" } ?? answer
        }
    }

    /// The test of a verdict; `nil` if there is none.
    static func test(of verdict: PossibleVerdict) -> Shown? {
        if let shown = testsOfOthers[verdict.fact.id]?.first(where: { $0.status == verdict.status }) {
            return shown.test
        }
        return RejectionCases.all.first { fault in
            fault.reason == verdict.reason && Check.all.first { $0.name == fault.check }?.fact == verdict.fact
        }.map { Shown("RejectionTests", $0.what) }
    }

    /// The tests of the verdicts that no check gives, by the ids of their facts.
    private static let testsOfOthers: [String: [(status: PossibleVerdict.Status, test: Shown)]] = [
        "accepted": [(.exactly(200), Shown("RejectionTests", "a request without a fault is accepted"))],
        "accepted-about-channels": [
            (.exactly(200), Shown("ChannelTests", "a channel is read with its policy")),
            (
                .exactly(201),
                Shown("ChannelTests", "a new channel is answered with 201 and its id, and exists for the next request")
            ),
            (.exactly(204), Shown("ChannelTests", "a deleted channel is gone: 204, then ChannelNotRegistered")),
        ],
        "malformed-request": [
            (.none, Shown("RawFrameTests", "a request that is not legal HTTP/2 is reset, and is in the log"))
        ],
        "unsupported-request": [
            (
                .none,
                Shown("RawFrameTests", "a request that HTTP/2 allows and the mock cannot take is not called illegal")
            )
        ],
        "streams-before-settings": [
            (
                .none,
                Shown("RawFrameTests", "early streams beyond the limit are refused, with a log line that says so")
            )
        ],
        "streams-beyond-settings": [
            (.none, Shown("RawFrameTests", "beyond the acknowledged limit the connection ends with Apple's words"))
        ],
        "unfinished-request": [
            (.none, Shown("RawFrameTests", "a request without its body is logged when its connection ends"))
        ],
        "forced-answer": [
            (.none, Shown("RequestFaultTests", "a request without an answer is unknown at its deadline")),
            (.any, Shown("RequestFaultTests", "an ordered answer comes with status, reason, time and headers")),
        ],
    ]

    /// The facts of verdicts that neither a check nor an allowance has.
    static let otherFacts: String = {
        let known = Set(Check.all.map(\.fact) + Allowance.all.map(\.fact))
        let others = MockFact.all.filter { fact in
            !known.contains(fact) && PossibleVerdict.all.contains { $0.fact == fact }
        }
        return head("fact", "based on", "how sure")
            + others.map { row("`\($0.id)`", $0.statement, $0.confidence.rawValue) }.joined()
    }()

    // MARK: Allowances and rules about behaviour

    static let allowances =
        head("fact", "rule", "what is allowed", "how sure", "test")
        + Allowance.all.map { allowance in
            let fact = allowance.fact
            return row(
                "`\(fact.id)`", allowance.breaksRule ? "yes" : "", fact.statement, fact.confidence.rawValue,
                test(ofAllowance: fact.id)?.description ?? "")
        }.joined()

    /// The test of an allowance; `nil` if there is none.
    static func test(ofAllowance id: String) -> Shown? {
        AllowanceCases.all.first { $0.fact == id }.map { Shown("AcceptanceTests", $0.what) }
    }

    static let behaviour =
        head("rule", "what it demands", "how sure", "test")
        + BehaviourRule.all.map { rule in
            row(
                "`\(rule.id)`", rule.fact.statement, rule.fact.confidence.rawValue,
                testsOfBehaviour[rule.id]?.description ?? "")
        }.joined()

    /// The tests of the rules about behaviour, by their ids.
    static let testsOfBehaviour = [
        "provider-token-per-push": Shown(
            "ClientBehaviourTests", "the third provider token of a connection within 20 minutes breaks the rule"),
        "connection-per-push": Shown("ClientBehaviourTests", "a connection for each request is noticed"),
        "push-after-rejected-token": Shown(
            "ClientBehaviourTests", "a rejected device token is remembered, in any letter case, for a while"),
        "ignored-goaway": Shown("IgnoredGoAwayTests", "a stream long after the GOAWAY breaks the rule"),
        "illegal-frame": Shown("IllegalFrameTests", "a second request on a finished stream breaks a rule"),
        "streams-before-settings": Shown(
            "RawFrameTests", "a first burst is served, and each stream beyond the limit is an allowance"),
    ]

    // MARK: Markdown

    private static func head(_ cells: String...) -> String {
        "| \(cells.joined(separator: " | ")) |\n" + String(repeating: "|---", count: cells.count) + "|\n"
    }

    private static func row(_ cells: String...) -> String { "| \(cells.joined(separator: " | ")) |\n" }
}

extension String {
    fileprivate func trimmingSuffix(_ end: String) -> String { hasSuffix(end) ? String(dropLast(end.count)) : self }
}
