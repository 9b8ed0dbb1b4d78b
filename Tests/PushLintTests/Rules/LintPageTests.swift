import Foundation
import TestSupport
import Testing

@testable import PushLint
@testable import PushProvider

/// The page about the lint has every rule, as the table has it.
///
/// To write them anew: PUSHSEND_REWRITE_GOLDEN=1 scripts/test --filter LintPageTests.
@Suite struct LintPageTests {
    private static let page = Repository.url("docs/pushsend-send.md")

    /// The rules about JSON in one sentence, because their names say what they demand, and a row for each of the others.
    private static let rows: String =
        "A payload is JSON in UTF-8. Anything else is an error: "
        + TextRules.rules.map(name).joined(separator: ", ") + ".\n\n"
        + "| rule | severity | what it demands |\n|---|---|---|\n"
        + LintRule.all.dropFirst(TextRules.rules.count).map { rule in
            "| \(name(of: rule)) | \(rule.severity.rawValue) | \(rule.title) |\n"
        }.joined()

    private static func name(of rule: LintRule) -> String {
        "`\(rule.id)`" + (rule.aliases.isEmpty ? "" : " (\(rule.aliases.joined(separator: ", ")))")
    }

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
