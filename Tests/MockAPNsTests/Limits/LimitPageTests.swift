import APNSVocabulary
import TestSupport
import Testing

@testable import MockAPNs

/// The table of limits in docs/mock-fidelity.md.
struct LimitPageTests {
    @Test func `the page has each limit with its default, and no other one`() {
        let page = Repository.text("docs/mock-fidelity.md")
        let table = page.split(separator: "\n").drop { !$0.hasPrefix("| `--limit` |") }.dropFirst(2)
            .prefix { $0.hasPrefix("|") }
        let rows = table.map { $0.split(separator: "|").prefix(2).map { $0.trimmingPrefix(" ") } }
        let limits = MockLimits()
        #expect(rows.count == MockLimit.allCases.count)
        for limit in MockLimit.allCases {
            #expect(
                rows.contains { $0[0] == "`\(limit.rawValue)` " && $0[1] == "\(limit.text(in: limits)) " }, "\(limit)")
        }
    }
}
