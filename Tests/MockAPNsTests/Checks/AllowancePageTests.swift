import Foundation
import TestSupport
import Testing

@testable import MockAPNs

/// `docs/mock-fidelity.md` lists the allowances as they are.
@Suite struct AllowancePageTests {
    private static let page = Repository.text("docs/mock-fidelity.md")

    private static var table: String {
        let rows = Allowance.table.map { "| \($0.fact.statement) | \($0.fact.confidence.rawValue) |" }
        return (["| what is allowed | how sure |", "|---|---|"] + rows).joined(separator: "\n") + "\n"
    }

    @Test func `the page has the table of all allowances`() {
        #expect(Self.page.contains(Self.table), "Put this table into docs/mock-fidelity.md:\n\(Self.table)")
    }
}
