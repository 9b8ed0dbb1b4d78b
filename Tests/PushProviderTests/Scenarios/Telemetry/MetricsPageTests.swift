import Foundation
import TestSupport
import Testing

/// `docs/operating.md` has a row for each metric, and for no other.
@Suite struct MetricsPageTests {
    @Test func `each metric has its row, and each row its metric`() throws {
        let sources = ["PushMetrics", "PushGauges"].map {
            Repository.text("Sources/PushProvider/Telemetry/\($0).swift")
        }
        let metrics = sources.joined().matches(of: /"(push_[a-z_]+)"/).map { String($0.output.1) }
        #expect(metrics.count > 20)
        let page = Repository.text("docs/operating.md")
        let rows = page.matches(of: #/(?m)^\| `(push_[a-z_]+)` \|/#).map { String($0.output.1) }
        #expect(Set(rows) == Set(metrics))
    }
}
