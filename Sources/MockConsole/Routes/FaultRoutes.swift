internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON

enum FaultRoutes {
    static let all: [ConsoleRoute] = [
        ConsoleRoute(.get, "/v1/faults", handler: list),
        ConsoleRoute(.post, "/v1/faults", accepts: .yaml, handler: inject),
        ConsoleRoute(.delete, "/v1/faults", handler: removeAll),
        ConsoleRoute(.get, "/v1/faults/{id}", handler: one),
        ConsoleRoute(.delete, "/v1/faults/{id}", handler: remove),
    ]

    @Sendable private static func list(_ request: ConsoleRequest) async throws -> Response {
        let faults = request.namespace.mock.activeFaults
        let counts = request.namespace.mock.faultCounts
        let scenario = request.namespace.stage.active?.name
        return .list(counts, more: { $0.member("scenario", scenario) }) { write($1, faults, to: &$0) }
    }

    private static func write(
        _ count: MockFault.Count, _ faults: [MockFault.ID: MockFault], to writer: inout JSONWriter
    ) {
        writer.member("id", count.id.number)
        writer.member("name", count.name)
        writer.member("applied", count.applied)
        writer.member("is_active", count.isActive)
        if let fault = faults[count.id] { writer.member("fault") { $0.raw(fault.json) } }
    }

    /// All are checked before the first is injected.
    @Sendable private static func inject(_ request: ConsoleRequest) async throws -> Response {
        let faults = try FaultForm.faults(try request.document("a fault"))
        let ids = try request.namespace.mock.inject(faults)
        return .object(status: .created) { $0.member("ids") { $0.array(ids) { $0.integer($1.number) } } }
    }

    @Sendable private static func removeAll(_ request: ConsoleRequest) async throws -> Response {
        request.namespace.mock.removeAllFaults()
        return .noContent
    }

    @Sendable private static func one(_ request: ConsoleRequest) async throws -> Response {
        let number = try request.pathNumber("id")
        guard let count = request.namespace.mock.faultCounts.first(where: { $0.id.number == number }) else {
            throw APIProblem.notFound("There is no fault \(number).")
        }
        let faults = request.namespace.mock.activeFaults
        return .object { write(count, faults, to: &$0) }
    }

    @Sendable private static func remove(_ request: ConsoleRequest) async throws -> Response {
        let number = try request.pathNumber("id")
        guard request.namespace.mock.remove(MockFault.ID(number: number)) else {
            throw APIProblem.notFound("There is no active fault \(number).")
        }
        return .noContent
    }
}
