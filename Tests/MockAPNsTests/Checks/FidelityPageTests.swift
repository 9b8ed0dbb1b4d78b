import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// `docs/mock-fidelity.md` and `Tests/VERDICTS.md` show the mock as it is.
///
/// To write its tables anew: PUSHSEND_REWRITE_GOLDEN=1 scripts/test --filter FidelityPageTests.
@Suite(.serialized) struct FidelityPageTests {
    private static let page = Repository.text("docs/mock-fidelity.md")

    /// The path of the page with the table of this word.
    private static func path(_ word: String) -> String {
        word == "verdicts" ? "Tests/VERDICTS.md" : "docs/mock-fidelity.md"
    }

    /// The tables with tests in their last column, by the word of their marks.
    private static let tested = ["verdicts", "allowances", "rules about behaviour"]

    @Test(arguments: [
        ("checks", FidelityTables.checks), ("verdicts", FidelityTables.verdicts),
        ("other facts", FidelityTables.otherFacts), ("allowances", FidelityTables.allowances),
        ("rules about behaviour", FidelityTables.behaviour),
    ])
    func `a table of the page is made from the code`(word: String, table: String) throws {
        let file = Repository.url(Self.path(word))
        let text = try String(contentsOf: file, encoding: .utf8)
        let range = try #require(Self.range(word, in: text), "The page has no marks for the \(word).")
        if ProcessInfo.processInfo.environment["PUSHSEND_REWRITE_GOLDEN"] != nil {
            try Data(text.replacingCharacters(in: range, with: table).utf8).write(to: file)
            return
        }
        #expect(text[range] == table)
    }

    /// What stands between the marks for a table.
    private static func range(_ word: String, in text: String) -> Range<String.Index>? {
        guard let start = text.firstRange(of: "<!-- \(word) -->\n"),
            let end = text.firstRange(of: "<!-- end of \(word) -->"),
            start.upperBound <= end.lowerBound
        else { return nil }
        return start.upperBound..<end.lowerBound
    }

    // MARK: The tests that the page names

    @Test(arguments: tested)
    func `each test that a table names exists`(word: String) throws {
        let page = Repository.text(Self.path(word))
        let range = try #require(Self.range(word, in: page))
        let rows = page[range].split(separator: "\n").dropFirst(2)
        #expect(!rows.isEmpty)
        for row in rows {
            let cell = row.split(separator: "|").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
            let words = cell.split(separator: "`: ", maxSplits: 1).map(String.init)
            try #require(words.count == 2 && words[0].hasPrefix("`"), "no test: \(row)")
            try Self.expectTest(words[1], in: String(words[0].dropFirst()))
        }
    }

    /// The suite exists, and has a test or a case of this name.
    private static func expectTest(_ name: String, in suite: String) throws {
        let path = try #require(sources.first { $0.hasSuffix("/\(suite).swift") }, "There is no file of \(suite).")
        let text = Repository.text("Tests/\(path)")
        #expect(text.contains("@Suite"), "\(path)")
        let cases =
            switch suite {
            case "RejectionTests": RejectionCases.all.map(\.what)
            case "AcceptanceTests": AllowanceCases.all.map(\.what)
            default: [String]()
            }
        #expect(text.contains("func `\(name)`(") || cases.contains(name), "\(suite) has no test \"\(name)\".")
    }

    private static let sources =
        (try? FileManager.default.subpathsOfDirectory(atPath: Repository.url("Tests").path())) ?? []

    @Test func `each statement about broadcasts and channels has a mark, and tests that exist`() throws {
        let rows = Repository.text("Tests/CHANNELS.md").split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 15)
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 5, "\(row)")
            #expect(MockFactConfidence(rawValue: cells[1]) != nil, "\(row)")
            for test in cells[4].split(separator: ", ") {
                let name = test.trimmingCharacters(in: ["`"])
                #expect(Self.sources.contains { $0.hasSuffix("/\(name).swift") }, "\(name)")
            }
        }
    }

    // MARK: Marks and settings

    @Test(arguments: MockFactConfidence.allCases)
    func `the page explains each mark`(confidence: MockFactConfidence) {
        #expect(Self.page.contains("| `\(confidence.rawValue)` | \(confidence) |"))
    }

    @Test(arguments: Mirror(reflecting: MockVariants()).children.compactMap(\.label))
    func `the page has each setting`(name: String) {
        #expect(Self.page.contains("| `\(name)` |"))
    }
}
