import Foundation
import TestSupport
import Testing

@testable import MockAPNs

/// `docs/mock-fidelity.md` lists the allowances as they are.
@Suite struct AllowancePageTests {
    private static let page = Repository.text("docs/mock-fidelity.md")

    private static var table: String {
        let rows = Allowance.all.map {
            "| \($0.rule.map { "`\($0)`" } ?? "") | \($0.fact.statement) | \($0.fact.confidence.rawValue) |"
        }
        return (["| rule | what is allowed | how sure |", "|---|---|---|"] + rows).joined(separator: "\n") + "\n"
    }

    @Test func `the page has the table of the rules about conduct`() {
        let rows = ConductRule.all.map { "| `\($0.id)` | \($0.fact.statement) | \($0.fact.confidence.rawValue) |" }
        let table = (["| rule | what it demands | how sure |", "|---|---|---|"] + rows).joined(separator: "\n") + "\n"
        #expect(Self.page.contains(table), "Put this table into docs/mock-fidelity.md:\n\(table)")
    }

    @Test func `no two rules have the same id`() {
        let ids =
            Check.all.map { MockVerdict.id(ofCheck: $0.name) } + Allowance.rules.values
            + ConductRule.all.map(\.id).filter { $0 != "streams-before-settings" }
        #expect(Set(ids).count == ids.count)
    }

    @Test func `the page has the table of all allowances`() {
        #expect(Self.page.contains(Self.table), "Put this table into docs/mock-fidelity.md:\n\(Self.table)")
    }
}
