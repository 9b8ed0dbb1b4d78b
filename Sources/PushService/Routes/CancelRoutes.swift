internal import Hummingbird
import PushDelivery
import PushHTTP
import PushJSON
import PushQueue

/// Cancels what still waits.
enum CancelRoutes {
    static let all = [
        ServiceRoute(.delete, "/v1/notifications/{id}", .cancel, query: ["app"], handler: one),
        ServiceRoute(.post, "/v1/notifications/cancel", .cancel, query: ["app"], handler: everything),
    ]

    /// The maximum number of jobs that are cancelled in one step.
    private static let slice = 1000

    @Sendable private static func one(_ request: APIRequest) async throws -> Response {
        let job = try await ListRoutes.find(try request.id(), request)
        switch try await request.parts.queue.cancel([job.id], app: job.app).first {
        case .stopped: return Response(json: ["id": .string(JobAnswer.text(job.id)), "result": "cancelled"])
        case .stoppedUncertain:
            // It is not tried again, and an earlier try may have reached Apple.
            return Response(
                json: [
                    "id": .string(JobAnswer.text(job.id)), "result": "unknown",
                    "detail": "It is not tried again. An earlier try may have reached Apple.",
                ])
        case .started:
            throw APIProblem(
                status: .conflict, code: "already_started", detail: "The push is being sent.",
                remedy: "Read its outcome in a moment.")
        case .finished(let kind):
            var problem = APIProblem(
                status: .conflict, code: "already_finished",
                detail: "The notification has its outcome already: \(kind.name).")
            problem.more["outcome"] = .string(kind.name)
            throw problem
        case .unknownJob, nil: throw APIProblem.notFound("There is no such notification.")
        }
    }

    @Sendable private static func everything(_ request: APIRequest) async throws -> Response {
        let form = try await request.form("app", "suspected")
        let app = try request.appName(try form.word("app"), field: form.field("app"))
        if try form.bool("suspected") == true {
            let deadline = request.deadline
            let count = try await SuspectedJobs.cancel(of: app, in: request.parts.queue) { deadline.renew() }
            return Response(json: ["cancelled": .integer(count)])
        }
        var count = 0
        while true {
            let cancelled = try await request.parts.queue.cancelAll(app: app, limit: slice)
            count += cancelled
            if cancelled < slice { break }
            request.deadline.renew()
            try Task.checkCancellation()
        }
        return Response(json: ["cancelled": .integer(count)])
    }
}
