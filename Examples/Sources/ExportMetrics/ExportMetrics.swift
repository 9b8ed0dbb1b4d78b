import Foundation
import Metrics
import MockAPNs
import PushProvider
import PushTesting

/// Sends to a mock in the same process, and prints what Prometheus would read.
@main
struct ExportMetrics {
    static func main() async throws {
        // README: metrics
        let metrics = PrometheusFactory()
        // Once in the life of a process, and before a client is made.
        MetricsSystem.bootstrap(metrics)
        // README: end

        let mock = try await MockServer.start()
        let client = try mock.client()
        let gone = try DeviceToken("0badc0de0badc0de")
        mock.register(MockDevice(token: gone, topics: ["com.example.app"]))
        mock.unregister(gone)
        for token in [try DeviceToken("5f3ad1c07b9e4286"), gone] {
            _ = await client.outcome(
                of: PushNotification(to: token, topic: "com.example.app", payload: .alert(body: "Hello")))
        }
        try await measured(metrics)

        // README: metrics as text
        print(metrics.text)
        // README: end

        try check(metrics.text)
        await client.shutdown()
        await mock.stop()
    }

    /// Gauges are measured once a second.
    private static func measured(_ metrics: PrometheusFactory) async throws {
        for _ in 0..<300 where !metrics.text.contains("push_connections 1\n") {
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private static func check(_ text: String) throws {
        for line in [
            "# TYPE push_outcomes_total counter", "push_outcomes_total{outcome=\"accepted\"} 1",
            "push_rejections_total{reason=\"Unregistered\",status=\"410\"} 1", "push_connections 1",
            "push_answer_duration_nanoseconds_count 2",
        ] where !text.split(separator: "\n").contains(Substring(line)) {
            throw Disappointment(description: "there is no line \(line)")
        }
    }

    struct Disappointment: Error, CustomStringConvertible {
        var description: String
    }
}
