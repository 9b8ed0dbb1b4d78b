import Testing

@testable import PushLint
@testable import PushProvider

@Suite struct DeviceRulesTests {
    @Test(arguments: [64, 160])
    func `the lengths that are seen are no finding`(digits: Int) throws {
        #expect(PayloadLint.findings(in: try DeviceToken(String(repeating: "a", count: digits))).isEmpty)
    }

    @Test(arguments: [(2, "complete"), (62, "complete"), (66, "simulators"), (200, "simulators")])
    func `another length is a warning, and shows no whole token`(digits: Int, words: String) throws {
        let token = String(repeating: "a", count: digits)
        let finding = try #require(PayloadLint.findings(in: try DeviceToken(token)).first)
        #expect(finding.severity == .warning)
        #expect(finding.rule == "device-token-length")
        #expect(finding.problem.contains("\(digits) hex digits"))
        #expect(finding.advice.contains(words))
        #expect(digits <= 12 || !"\(finding)".contains(token))
        #expect(LintRule.find(finding.rule)?.severity == .warning)
    }
}
