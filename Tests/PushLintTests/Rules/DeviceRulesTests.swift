import Testing

@testable import PushCampaign
@testable import PushLint
@testable import PushProvider

@Suite struct DeviceRulesTests {
    @Test(arguments: [64, 160])
    func `the lengths that are seen are no finding`(digits: Int) throws {
        #expect(Lint.findings(in: try DeviceToken(String(repeating: "a", count: digits))).isEmpty)
    }

    @Test(arguments: [(2, "complete"), (62, "complete"), (66, "simulators"), (200, "simulators")])
    func `another length is a warning, and shows no whole token`(digits: Int, words: String) throws {
        let token = String(repeating: "a", count: digits)
        let finding = try #require(Lint.findings(in: try DeviceToken(token)).first)
        #expect(finding.severity == .warning)
        #expect(finding.rule == "device-token-length")
        #expect(finding.problem.contains("\(digits) hex digits"))
        #expect(finding.advice.contains(words))
        #expect(digits <= 12 || !"\(finding)".contains(token))
        #expect(LintRule.find(finding.rule)?.severity == .warning)
    }

    /// The next line is often like the last, but for its device token.
    @Test func `each line of a campaign to Apple is looked at, and none of one to a mock`() throws {
        let (long, short) = (String(repeating: "0f", count: 32), "0f0f")
        for looksAtTokens in [true, false] {
            let found = BatchFindings()
            var lint = BatchLint(nil, found, looksAtTokens: looksAtTokens)
            for (line, token) in [long, short, long, short].enumerated() {
                var notification = PushNotification(
                    to: try DeviceToken(token), topic: "com.example.app", payload: .alert(body: "Hello"))
                notification.row = BatchRow(index: line, line: line + 1, file: 0, text: [])
                _ = lint.findings(in: notification)
            }
            #expect(found.all.map(\.lines) == (looksAtTokens ? [2] : []))
            #expect(found.all.map(\.line) == (looksAtTokens ? [2] : []))
        }
    }
}
