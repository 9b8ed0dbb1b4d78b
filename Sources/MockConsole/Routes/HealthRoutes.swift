internal import Hummingbird
import MockAPNs
import PushHTTP

/// Whether the mock runs, and its figures for Prometheus.
struct HealthRoutes: Sendable {
    let namespaces: MockNamespaces

    static func isOpen(_ path: String) -> Bool { ["/livez", "/readyz"].contains(path) }

    var all: [ConsoleRoute] {
        [
            ConsoleRoute(.get, "/livez", scope: .mock) { _ in Response(Array("ok\n".utf8), type: "text/plain") },
            ConsoleRoute(.get, "/readyz", scope: .mock) { _ in Response(Array("ok\n".utf8), type: "text/plain") },
            ConsoleRoute(.get, "/metrics", scope: .mock, handler: metrics),
        ]
    }

    @Sendable private func metrics(_ request: ConsoleRequest) async throws -> Response {
        let all = namespaces.all
        var text = ""
        func metric(_ name: String, _ type: String, _ help: String, _ value: (MockServer) -> Int) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
            for namespace in all { text += "\(name){namespace=\"\(namespace.name)\"} \(value(namespace.mock))\n" }
        }
        metric("mock_requests_total", "counter", "Requests that have arrived.") { $0.arrivalCount }
        metric("mock_connections_total", "counter", "Connections that were accepted.") { $0.connectionCount }
        metric("mock_log_requests", "gauge", "Requests in the log.") { $0.logCount }
        metric("mock_log_dropped_total", "counter", "Requests dropped from the log because it was full.") {
            $0.droppedCount
        }
        metric("mock_violations_total", "counter", "Rules of APNs that clients broke.") { $0.violationTotal }
        metric("mock_faults_active", "gauge", "Faults that can still act.") { $0.activeFaults.count }
        metric("mock_devices", "gauge", "Registered devices.") { $0.devices.count }
        return Response(Array(text.utf8), type: "text/plain; version=0.0.4")
    }
}
