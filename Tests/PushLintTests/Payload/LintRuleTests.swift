import TestSupport
import Testing

@testable import PushJSON
@testable import PushLint
@testable import PushProvider

@Suite struct LintRuleTests {
    @Test(arguments: RuleFixture.all.map(\.rule))
    func `what breaks the rule is found, and its twin is silent`(rule: String) throws {
        let fixture = try #require(RuleFixture.all.first { $0.rule == rule })
        let found = PayloadLint.findings(in: fixture.bad, fixture.badContext)
        #expect(found.contains { $0.rule == rule }, "\(found.map(\.rule))")
        #expect(PayloadLint.findings(in: fixture.good, fixture.goodContext) == [])
    }

    /// What the twin shares with it is not what it is about: nothing else is found.
    @Test(arguments: RuleFixture.all.map(\.rule))
    func `what breaks one rule breaks no other`(rule: String) throws {
        let fixture = try #require(RuleFixture.all.first { $0.rule == rule })
        let others = Set(PayloadLint.findings(in: fixture.bad, fixture.badContext).map(\.rule)).subtracting([rule])
        // No push type at all has no right payload or topic either.
        #expect(others.isEmpty, "\(others)")
    }

    @Test func `every rule has its fixture, but those that need more than a payload`() {
        let others = Set((CertificateRules.rules + DeviceRules.rules + PlaceholderRules.rules).map(\.id))
        #expect(Set(RuleFixture.all.map(\.rule)) == Set(LintRule.all.map(\.id)).subtracting(others))
        #expect(RuleFixture.all.count == Set(RuleFixture.all.map(\.rule)).count)
    }

    @Test func `findings have a place, a sentence about what is wrong and one about what to do`() {
        for fixture in RuleFixture.all {
            for finding in PayloadLint.findings(in: fixture.bad, fixture.badContext) {
                #expect(finding.problem.hasSuffix(".") && !finding.problem.hasSuffix(".."), "\(finding)")
                #expect(finding.advice.hasSuffix(".") || finding.advice.hasSuffix("?"), "\(finding)")
                #expect(finding.subject.hasPrefix("payload") || finding.subject.hasPrefix("apns-"))
                guard let location = finding.location else {
                    #expect(finding.subject.hasPrefix("apns-"), "\(finding.rule)")
                    continue
                }
                #expect(location.bytes.lowerBound >= 0 && location.bytes.upperBound <= fixture.bad.count)
                #expect(location.line >= 1 && location.column >= 1)
            }
        }
    }

    /// What Apple certainly refuses. It stands here once more, so that a rule that is lost from the table is missed.
    private static let refused = Set(
        JSONMistake.Kind.allCases.map(\.rawValue) + [
            "not-an-object", "aps-not-an-object", "payload-too-large", "background-visible", "certificate-push-type",
            "certificate-topic-missing", "certificate-topic", "topic-missing", "topic-push-type", "push-type-payload",
            "priority-known", "background-priority", "collapse-id-length", "expiration-form",
        ])
    /// What has no form on the wire.
    private static let impossible: Set = ["topic-form", "topic-length", "push-type-form", "collapse-id-form"]

    @Test func `the table of refusals is complete`() {
        #expect(Set(Refusal.all.map(\.id)) == Self.refused.union(Self.impossible))
        #expect(Set(Refusal.all.filter(\.isImpossible).map(\.id)) == Self.impossible)
    }

    @Test func `a client refuses what Apple refuses, and nothing else`() throws {
        for fixture in RuleFixture.all where fixture.badContext.broadcast == nil {
            let notification = try fixture.notification
            let refused = Refusals.findings(notification, notification.inferred, certificate: nil)
            let isRefused = Self.refused.contains(fixture.rule) || Self.impossible.contains(fixture.rule)
            #expect(refused.contains { $0.rule == fixture.rule } == isRefused, "\(fixture.rule)")
            let impossible = Refusals.findings(notification, notification.inferred, certificate: nil, checks: false)
            #expect(
                impossible.contains { $0.rule == fixture.rule } == Self.impossible.contains(fixture.rule),
                "\(fixture.rule)")
        }
    }

    // MARK: The table

    @Test func `ids are words with hyphens, and no word names two rules`() {
        let words = LintRule.all.flatMap { [$0.id] + $0.aliases }
        #expect(Set(words).count == words.count)
        for rule in LintRule.all {
            #expect(rule.id.wholeMatch(of: #/[a-z0-9]+(-[a-z0-9]+)*/#) != nil, "\(rule.id)")
            #expect(!rule.title.hasSuffix("."), "\(rule.id)")
            for sentence in [rule.explanation, rule.remedy] {
                #expect(sentence.hasSuffix("."), "\(rule.id)")
                #expect(!sentence.contains("\n"), "\(rule.id)")
            }
            #expect(!rule.source.isEmpty)
        }
    }

    @Test func `the numbers L1 to L20 find a rule each`() {
        for number in 1...20 { #expect(LintRule.find("L\(number)") != nil, "L\(number)") }
        #expect(LintRule.find("l1")?.id == "background-visible")
        #expect(LintRule.find("BADGE-NUMBER")?.id == "badge-number")
        #expect(LintRule.find("no-such-rule") == nil)
    }
}

extension RuleFixture {
    /// The bad one, as it would be sent.
    fileprivate var notification: PushNotification {
        get throws {
            try .sample {
                $0.payload = PushPayload(json: bad, pushType: badContext.payloadPushType)
                $0.topic = badContext.topic ?? "com.example.app\(badContext.pushType?.topicSuffix ?? "")"
                $0.pushType = badContext.pushType
                $0.priority = badContext.priority
                $0.expiration = badContext.expiration ?? .apnsDefault
                $0.collapseID = badContext.collapseID
            }
        }
    }
}
