import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushService

@Suite struct MetricsTests {
    @Test func `the page has each metric with its labels, and no other one`() throws {
        let source = Repository.text("Sources/PushService/MetricsPage.swift")
        let written = Set(source.matches(of: /"(pushserve_[a-z_]+)"/).map { String($0.output.1) })
        let page = Repository.text("docs/service-operations.md")
        let rows = page.matches(of: /(?m)^\| `(pushserve_[a-z_]+)` \|/).map { String($0.output.1) }
        #expect(Set(rows) == written && rows.count == written.count)
    }

    @Test func `the port for figures answers no page of a stranger`() async throws {
        try await RunningService.with({ $0.metrics = .init(port: 0) }) { service in
            let port = try #require(await service.service.metricsPort)
            for (host, status) in [("localhost:9000", 200), ("127.0.0.1", 200), ("evil.example", 421)] {
                let connection = try await HTTPConnection.open(port: port)
                defer { connection.close() }
                let answer = try await connection.ask("GET", "/metrics", key: nil, headers: [("host", host)])
                #expect(answer.status == status, "\(host)")
            }
            let connection = try await HTTPConnection.open(port: port)
            defer { connection.close() }
            let headers = [("origin", "http://evil.example")]
            #expect(try await connection.ask("GET", "/metrics", key: nil, headers: headers).status == 403)
        }
    }

    @Test func `figures are on a listener of their own, and need no key`() async throws {
        try await RunningService.with({ $0.metrics = .init(port: 0) }) { service in
            let key = try await service.key()
            _ = try await service.ask("POST", "/v1/notifications", "[\(push()), \(push())]", key: key)
            service.service.metrics.ended(QueueJobOutcome(.rejected, reason: "Bad\"Token"), app: "shop")
            service.service.metrics.record(.milliseconds(3), .send, app: "shop")
            guard
                case .created(let campaign) = try await service.queue.createCampaign(
                    NewQueueCampaign("Sale", app: "shop"))
            else { throw RunningService.Missing() }
            _ = try await service.queue.addLines(
                [QueueCampaignLine(1, .refused(QueueLineRefusal(code: "code", detail: "why")))], to: campaign.id,
                app: "shop")
            _ = try await service.queue.changeCampaign(campaign.id, app: "shop", .start(closes: false))
            let port = try #require(await service.service.metricsPort)
            let connection = try await HTTPConnection.open(port: port)
            defer { connection.close() }
            let text = try await connection.ask("GET", "/metrics", key: nil).text
            for line in [
                #"pushserve_queue_jobs{app="shop",state="waiting"} 2"#, #"pushserve_queued_total{app="shop"} 2"#,
                #"pushserve_outcome_reasons_total{app="shop",outcome="rejected",reason="Bad\"Token"} 1"#,
                #"pushserve_phase_seconds_bucket{app="shop",phase="send",le="0.0025"} 0"#,
                #"pushserve_phase_seconds_bucket{app="shop",phase="send",le="0.005"} 1"#,
                #"pushserve_phase_seconds_bucket{app="shop",phase="send",le="+Inf"} 1"#,
                #"pushserve_phase_seconds_count{app="shop",phase="store"} 1"#,
                #"pushserve_http_requests_total{status="202"} 1"#,
            ] {
                #expect(text.contains(line + "\n"), "\(line)\n\(text)")
            }
            let name = campaign.id.uuidString.lowercased()
            #expect(text.contains(#"pushserve_campaign_lines{app="shop",campaign="\#(name)",state="refused"} 1"#))
            #expect(text.contains("pushserve_queue_age_seconds{app=\"shop\"} "))
            #expect(try await connection.ask("GET", "/v1/status", key: key).status == 404)
            #expect(try await service.ask("GET", "/metrics", key: key).status == 404)
        }
    }

    @Test func `a histogram counts each duration once`() {
        var histogram = LatencyHistogram()
        for seconds in [0.0005, 0.001, 0.002, 5000] { histogram.add(.seconds(seconds)) }
        #expect(histogram.counts[0] == 2 && histogram.counts[1] == 1 && histogram.counts.last == 1)
        #expect(histogram.counts.reduce(0, +) == 4)
    }
}

extension MetricsTests {
    @Test(arguments: ["prometheus/rules.yml", "grafana/pushserve.json"])
    func `alarms and dashboard use only metrics that there are`(file: String) throws {
        let source = Repository.text("Sources/PushService/MetricsPage.swift")
        let written = Set(source.matches(of: /"(pushserve_[a-z_]+)"/).map { String($0.output.1) })
        let used = Repository.text("deploy/\(file)").matches(of: /\bpushserve_[a-z_]+/).map { match in
            String(match.output).replacing(/_(bucket|sum|count)$/, with: "")
        }
        #expect(used.count >= 12)
        #expect(Set(used).subtracting(written) == [])
    }
}
