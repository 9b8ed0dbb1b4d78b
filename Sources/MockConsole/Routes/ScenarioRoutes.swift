internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON

enum ScenarioRoutes {
    static let all: [ConsoleRoute] = [
        ConsoleRoute(.get, "/v1/scenarios", scope: .mock, handler: list),
        ConsoleRoute(.get, "/v1/scenario", handler: active),
        ConsoleRoute(.put, "/v1/scenario", accepts: .yaml, handler: play),
        ConsoleRoute(.delete, "/v1/scenario", handler: end),
        ConsoleRoute(.post, "/v1/connections/{number}/steps", handler: perform),
    ]

    @Sendable private static func list(_ request: ConsoleRequest) async throws -> Response {
        let scenarios = try ReadyScenarios.all.map { try ReadyScenarios.named($0.name) }
        return .list(scenarios) { write($1, to: &$0) }
    }

    private static func write(_ scenario: Scenario, to writer: inout JSONWriter) {
        writer.member("name", scenario.name)
        writer.member("description", scenario.description)
        writer.member("faults", scenario.faults.count)
        writer.member("devices", scenario.devices.count)
    }

    @Sendable private static func active(_ request: ConsoleRequest) async throws -> Response {
        guard let scenario = request.namespace.stage.active else { throw APIProblem.notFound("No scenario is active.") }
        return .object { write(scenario, to: &$0) }
    }

    /// `{"name": "apns-outage"}`, or a whole scenario.
    @Sendable private static func play(_ request: ConsoleRequest) async throws -> Response {
        let tree = try request.document("a scenario")
        let isName = tree.members.map(\.name) == ["name"]
        let scenario =
            isName
            ? try ReadyScenarios.named(try name(of: tree))
            : try Scenario(tree, name: "unnamed")
        try request.namespace.stage.play(scenario)
        return .object { write(scenario, to: &$0) }
    }

    private static func name(of tree: LocatedJSON) throws(APIProblem) -> String {
        let form = try FormReader(tree, known: ["name"])
        return try form.required("name", try form.string("name"))
    }

    @Sendable private static func end(_ request: ConsoleRequest) async throws -> Response {
        request.namespace.stage.end()
        return .noContent
    }

    /// Steps on an open connection.
    @Sendable private static func perform(_ request: ConsoleRequest) async throws -> Response {
        let number = try request.pathNumber("number")
        let tree = try request.document("a step")
        let steps = try FaultForm.steps(tree)
        guard try request.namespace.mock.perform(steps, onConnection: number) else {
            throw APIProblem.conflict(
                "Connection \(number) isn't open.", code: "not_open",
                remedy: "GET /v1/connections?open=true lists those that are.")
        }
        return .object(status: .accepted) { $0.member("connection", number) }
    }
}
