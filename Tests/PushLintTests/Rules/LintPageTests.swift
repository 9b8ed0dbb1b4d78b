import Foundation
import TestSupport
import Testing

@testable import PushLint
@testable import PushProvider

/// The page about the lint has every rule, as the table has it.
///
/// To write them anew: PUSHSEND_REWRITE_GOLDEN=1 scripts/test --filter LintPageTests.
@Suite struct LintPageTests {
    private static let page = Repository.url("docs/lint.md")

    private static let rows: String =
        "| rule | severity | what it demands |\n|---|---|---|\n"
        + LintRule.all.map { rule in
            let aliases = rule.aliases.isEmpty ? "" : " (\(rule.aliases.joined(separator: ", ")))"
            return "| `\(rule.id)`\(aliases) | \(rule.severity.rawValue) | \(rule.title) |\n"
        }.joined()

    @Test func `the page lists the rules of the table`() throws {
        let text = String(decoding: try Data(contentsOf: Self.page), as: UTF8.self)
        let start = try #require(text.firstRange(of: "<!-- rules -->\n"))
        let end = try #require(text.firstRange(of: "<!-- end of rules -->"))
        if ProcessInfo.processInfo.environment["PUSHSEND_REWRITE_GOLDEN"] != nil {
            let new = text[..<start.upperBound] + Self.rows + text[end.lowerBound...]
            try Data(new.utf8).write(to: Self.page)
            return
        }
        #expect(text[start.upperBound..<end.lowerBound] == Self.rows)
    }
}
