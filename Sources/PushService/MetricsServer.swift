internal import HTTPTypes
internal import Hummingbird
import PushHTTP
import PushQueue

/// Answers the requests to the listener for figures, which needs no key.
struct MetricsServer: Sendable {
    let metrics: ServiceMetrics
    let queue: any QueueBackend
    let apps: ServedApps
    let version: String
    let gate: RequestGate
    let answers: AnswersInProgress
    /// How long an answer may take.
    let time: Duration

    func respond(to request: Request) async -> Response {
        var response = await answer(to: request)
        response.dropBody(ofAnswerTo: request)
        return response
    }

    private func answer(to request: Request) async -> Response {
        do {
            return try await page(request)
        } catch {
            return APIProblem(of: error, in: "service").response
        }
    }

    private func page(_ request: Request) async throws -> Response {
        try gate.check(request, isOpen: true)
        guard request.uri.path == "/metrics" else { throw APIProblem.notFound("There is only /metrics here.") }
        guard request.method == .get || request.method == .head else {
            throw APIProblem(
                status: .methodNotAllowed, code: "method_not_allowed", detail: "Only GET and HEAD are allowed here.",
                headers: [HTTPField(name: .allow, value: "GET, HEAD")])
        }
        let text = try await answers.run(within: answers.deadline(in: time)) {
            try await MetricsPage.text(of: metrics, queue: queue, apps: apps, version: version)
        }
        return Response(Array(text.utf8), type: "text/plain; version=0.0.4")
    }
}
