internal import HTTPTypes
internal import Hummingbird
import PushHTTP
import PushQueue

/// Answers the requests to the listener for figures, which needs no key.
struct MetricsServer: Sendable {
    let metrics: ServiceMetrics
    let queue: any QueueBackend
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
        do throws(GateRefusal) {
            try gate.check(request, isOpen: true)
        } catch {
            return APIProblem(error).response
        }
        guard request.uri.path == "/metrics" else {
            return APIProblem.notFound("There is only /metrics here.").response
        }
        guard request.method == .get || request.method == .head else {
            return APIProblem(
                status: .methodNotAllowed, code: "method_not_allowed", detail: "Only GET and HEAD are allowed here.",
                headers: [HTTPField(name: .allow, value: "GET, HEAD")]
            ).response
        }
        do {
            let text = try await answers.run(within: answers.deadline(in: time)) {
                try await MetricsPage.text(of: metrics, queue: queue)
            }
            return Response(Array(text.utf8), type: "text/plain; version=0.0.4")
        } catch let error as QueueError {
            return APIProblem(error).response
        } catch is DeadlinePassed {
            return APIProblem.tooSlow.response
        } catch {
            return APIProblem.stopping.response
        }
    }
}
