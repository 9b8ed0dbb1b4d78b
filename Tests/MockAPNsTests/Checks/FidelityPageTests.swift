import Foundation
import MockAPNs
import TestSupport
import Testing

/// `docs/mock-fidelity.md` shows the checks as they are: its table is made here, from the checks and from the cases that
/// every one of them has in ``RejectionCases``.
@Suite struct FidelityPageTests {
    private static let page = Repository.text("docs/mock-fidelity.md")

    @Test func `the page has the table of all checks`() {
        let lines = Self.table.filter { !Self.page.contains($0 + "\n") }
        #expect(
            Self.page.contains(Self.table.joined(separator: "\n") + "\n"),
            """
            \(lines.count) lines differ. Put this table into docs/mock-fidelity.md:
            \(Self.table.joined(separator: "\n"))
            """
        )
    }

    @Test func `each statement about broadcasts and channels has a mark, and tests that exist`() throws {
        let section = try #require(Self.page.components(separatedBy: "## Broadcasts and channels").last)
        let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("| ") }
            .dropFirst()
        #expect(rows.count > 15)
        let files = try FileManager.default.subpathsOfDirectory(atPath: Repository.url("Tests").path())
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 5, "\(row)")
            #expect(FactConfidence(rawValue: cells[1]) != nil, "\(row)")
            for test in cells[4].split(separator: ", ") {
                let name = test.trimmingCharacters(in: ["`"])
                #expect(files.contains { $0.hasSuffix("/\(name).swift") }, "\(name)")
            }
        }
    }

    @Test(arguments: FactConfidence.allCases)
    func `the page explains each mark`(confidence: FactConfidence) {
        #expect(Self.page.contains("| `\(confidence.rawValue)` | \(confidence) |"))
    }

    @Test(arguments: Mirror(reflecting: MockVariants()).children.compactMap(\.label))
    func `the page has each setting`(name: String) {
        #expect(Self.page.contains("| `\(name)` |"))
    }

    // MARK: The table

    private static var table: [String] {
        ["| # | stage | check | answer | it rests on | how sure |", "|---|---|---|---|---|---|"]
            + Check.all.enumerated().map { row(number: $0.offset + 1, $0.element) }
    }

    private static func row(number: Int, _ check: Check) -> String {
        let cells = [
            "\(number)", "\(check.stage)", check.name, answers(of: check), check.fact.statement,
            check.fact.confidence.rawValue,
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    /// What comes without any setting, and what only a setting brings.
    private static func answers(of check: Check) -> String {
        let cases = RejectionCases.all.filter { $0.check == check.name }
        var usual: [String] = []
        var set: [String] = []
        for fault in cases {
            let answer = "\(fault.status) \(fault.reason.rawValue)"
            let world = Trial(fault.spoil).world
            // A lower limit only makes the case short.
            var variants = world.variants
            variants.channelLimit = MockVariants().channelLimit
            let isUsual = variants == MockVariants() && world.unknownTokens == .accept
            if isUsual, !usual.contains(answer) { usual.append(answer) }
            if !isUsual, !set.contains(answer) { set.append(answer) }
        }
        let bySetting = set.filter { !usual.contains($0) }
        if usual.isEmpty { return "off; by setting \(bySetting.joined(separator: ", "))" }
        return bySetting.isEmpty
            ? usual.joined(separator: ", ")
            : "\(usual.joined(separator: ", ")); by setting \(bySetting.joined(separator: ", "))"
    }
}
