internal import HTTPTypes
internal import Hummingbird
import PushQueue

/// Answers the requests to the listener for figures, which needs no key.
struct MetricsServer: Sendable {
    let metrics: ServiceMetrics
    let queue: any QueueBackend

    func respond(to request: Request) async -> Response {
        guard request.uri.path == "/metrics" else {
            return APIProblem.notFound("There is only /metrics here.").response
        }
        guard request.method == .get else {
            return APIProblem(
                status: .methodNotAllowed, code: "method_not_allowed", detail: "Only GET is allowed here.",
                headers: [HTTPField(name: .allow, value: "GET")]
            ).response
        }
        do throws(QueueError) {
            let text = try await MetricsPage.text(of: metrics, queue: queue)
            return Response(Array(text.utf8), type: "text/plain; version=0.0.4")
        } catch {
            return APIProblem(error).response
        }
    }
}
