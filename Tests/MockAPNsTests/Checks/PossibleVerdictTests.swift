import APNSVocabulary
import Foundation
import PushWire
import TestSupport
import Testing

@testable import MockAPNs

/// The list of verdicts and facts is whole: what the mock can say is in it, and what is in it can be seen.
@Suite struct PossibleVerdictTests {
    @Test(arguments: RejectionCases.all)
    func `the verdict of each rejection is in the list`(fault: RejectionCase) {
        Self.expectListed(Trial(fault.spoil).verdict)
    }

    @Test func `two faults in one request give no other verdict`() {
        // To fill the mock with channels takes long.
        let cases = RejectionCases.all.filter { !["channel limit", "room for channels"].contains($0.check) }
        for first in cases {
            for second in cases {
                let verdict = Trial {
                    first.spoil(&$0)
                    second.spoil(&$0)
                }.verdict
                Self.expectListed(verdict)
            }
        }
    }

    @Test func `each rejection of the list is shown by a case`() {
        let verdicts = RejectionCases.all.map { Trial($0.spoil).verdict }
        for possible in PossibleVerdict.all where possible.reason != nil {
            #expect(verdicts.contains(where: possible.matches), "\(possible)")
        }
    }

    @Test(arguments: AllowanceCases.all)
    func `the verdict of each acceptance is in the list`(doubt: AllowanceCase) {
        Self.expectListed(Trial(doubt.change).verdict)
    }

    @Test func `what is accepted about channels is in the list`() {
        let makers: [(inout Trial) -> Void] = [
            { $0.makeList() }, { $0.makeChannel("GET") }, { $0.makeChannel("DELETE") }, { $0.makeNewChannel() },
            { $0.makeBroadcast() },
        ]
        let verdicts = makers.map { Trial($0).verdict }
        #expect(verdicts.map(\.status) == [200, 200, 204, 201, 200])
        for verdict in verdicts { Self.expectListed(verdict) }
    }

    @Test func `what is not judged is in the list`() {
        let request = Trial().request
        let refusals: [HTTP2Refusal] = [
            .malformed(code: 1, "why"), .notTaken(code: 1, "why"), .beyondAnnouncedLimit,
            .tooManyEarlyStreams(maximum: 1), .beyondAcknowledgedLimit,
        ]
        for refusal in refusals { Self.expectListed(.refused(request, refusal.fact, refusal.detail)) }
        Self.expectListed(.unfinished(request, "why"))
        Self.expectListed(.unanswered(request, "why"))
        Self.expectListed(MockFault.Answer(status: 207).verdict(for: request))
        Self.expectListed(MockFault.Answer(status: 410, reason: .unregistered).verdict(for: request))
    }

    private static func expectListed(_ verdict: MockVerdict) {
        let found = PossibleVerdict.all.count { $0.matches(verdict) }
        #expect(
            found == 1, "\(verdict.status) \(verdict.reason?.rawValue ?? "") by \(verdict.fact.id) is \(found) times")
    }

    // MARK: Facts

    @Test func `no two facts have the same id, and the same fact is the same everywhere`() {
        let all =
            PossibleVerdict.all.map(\.fact) + Allowance.all.map(\.fact) + BehaviourRule.all.map(\.fact)
        #expect(Set(all.map(\.id)).count == Set(all).count)
        #expect(Set(MockFact.all) == Set(all))
        #expect(Set(Check.all.map(\.fact.id)).count == Check.all.count)
    }

    @Test func `the fact of a check has the name of the check, with hyphens`() {
        for check in Check.all { #expect(check.fact.id == check.name.replacing(" ", with: "-")) }
    }

    /// Otherwise a verdict could rest on a fact that no table has.
    @Test func `every fact that the sources make is in the list`() throws {
        let folder = Repository.url("Sources").path()
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
            // The facts of settings are not those of verdicts. They have a test and a table of their own.
            $0.hasSuffix(".swift") && !$0.hasSuffix("SettingFacts.swift")
        }
        var made: Set<String> = []
        for file in files {
            let text = Repository.text("Sources/\(file)")
            // A check and an allowance make their fact themselves, of their first value.
            for use in text.matches(of: /\b(?:Mock(Fact)|Check|Allowance)\((?:id:)?\s*(?:id: )?"([^"\\]*)"/) {
                made.insert(use.1 == nil ? String(use.2).replacing(" ", with: "-") : String(use.2))
            }
            // Those two are the only places that get an id from elsewhere.
            let others = text.matches(of: /\bMockFact\((?!\s*id: ")/).count
            let expected = file.hasSuffix("/Check.swift") || file.hasSuffix("/Allowance.swift") ? 1 : 0
            #expect(others == expected, "\(file): a fact without an id that stands there")
        }
        #expect(made == Set(MockFact.all.map(\.id)))
    }

    @Test func `each setting that chooses a reason exists`() {
        let settings = Mirror(reflecting: MockVariants()).children.compactMap(\.label)
        let named = Set(Check.all.compactMap(\.setting))
        #expect(named == Set(settings.filter { $0.hasSuffix("Reason") }))
    }

    @Test func `each allowance is shown by a case`() {
        #expect(Set(Allowance.all.map(\.fact.id)) == Set(AllowanceCases.all.map(\.fact)))
    }
}
