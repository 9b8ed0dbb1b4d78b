internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON
import PushPlatform
import PushTime

/// The clock, violations, connections, and the reset of a namespace.
enum StateRoutes {
    static let all: [ConsoleRoute] = [
        ConsoleRoute(.get, "/v1/connections", query: ["limit", "after", "open"], handler: connections),
        ConsoleRoute(.get, "/v1/connections/{number}", handler: connection),
        ConsoleRoute(.get, "/v1/clock") { clock(of: $0.namespace.mock) },
        ConsoleRoute(.put, "/v1/clock", handler: setClock),
        ConsoleRoute(.post, "/v1/clock/advance", handler: advanceClock),
        ConsoleRoute(.get, "/v1/violations", query: ["id", "limit", "after", "order"], handler: violations),
        ConsoleRoute(.post, "/v1/reset", handler: reset),
    ]

    // MARK: Connections

    @Sendable private static func connections(_ request: ConsoleRequest) async throws -> Response {
        let limit = try request.pageLength()
        let after = try request.number("after", in: 0...Int.max) ?? 0
        let isOpen = try request.bool("open")
        let found = request.namespace.mock.connectionRecords.filter { record in
            record.number > after && (isOpen.map { $0 == (record.end == nil) } ?? true)
        }
        return .list(found, limit: limit, cursor: { String($0.number) }) {
            ConnectionForm.write($1, to: &$0, isWhole: false)
        }
    }

    @Sendable private static func connection(_ request: ConsoleRequest) async throws -> Response {
        let number = try request.pathNumber("number")
        guard let record = request.namespace.mock.connectionRecords.first(where: { $0.number == number }) else {
            throw APIProblem.notFound("There is no record of connection \(number).")
        }
        return .object { ConnectionForm.write(record, to: &$0, isWhole: true) }
    }

    // MARK: Clock

    private static func clock(of mock: MockServer) -> Response {
        .object {
            $0.member("now", mock.now.rfc3339)
            $0.member("is_moved", mock.clockIsMoved)
            $0.member("is_stopped", mock.clockIsStopped)
        }
    }

    @Sendable private static func setClock(_ request: ConsoleRequest) async throws -> Response {
        let form = try request.form("now", "stopped")
        let stops = try form.bool("stopped") ?? false
        let mock = request.namespace.mock
        if form.value("now")?.string == "system" {
            mock.resetClock()
            if stops { mock.setClock(to: mock.now, stops: true) }
        } else {
            mock.setClock(to: try form.required("now", try form.time("now")), stops: stops)
        }
        return clock(of: mock)
    }

    @Sendable private static func advanceClock(_ request: ConsoleRequest) async throws -> Response {
        let form = try request.form("by")
        let text = try form.required("by", try form.string("by"))
        guard let duration = Duration(unitText: text, signed: true) else {
            throw form.problem(
                "by", "\(text.debugDescription) isn't a duration.",
                remedy: Duration.advice(forBare: text)
                    ?? "Write a number and its unit: 90s, 21m, 2h, 30d; with a minus sign to go back.")
        }
        let moved = request.namespace.mock.now.addingTimeInterval(duration / .seconds(1))
        guard Date.writable.contains(moved) else {
            throw APIProblem.conflict(
                "The clock can't leave the years 1 to 9999.", code: "clock_out_of_range", field: form.field("by"),
                remedy: "Move it less far, or set it with PUT /v1/clock.")
        }
        request.namespace.mock.advanceClock(by: duration)
        return clock(of: request.namespace.mock)
    }

    // MARK: Violations

    @Sendable private static func violations(_ request: ConsoleRequest) async throws -> Response {
        let limit = try request.pageLength()
        let after = try request.number("after", in: 0...Int.max) ?? 0
        let mock = request.namespace.mock
        let isNewest = try request.choice("order", ListOrder.self) == .newest
        let all = isNewest ? mock.violationEntries.reversed() : mock.violationEntries
        let found = all.filter { entry in
            (isNewest ? after == 0 || entry.number < after : entry.number > after)
                && request.query["id"].map { $0 == entry.violation.id } ?? true
        }
        let rules = mock.brokenRules
        return .list(
            found, limit: limit, cursor: { String($0.number) },
            more: { writer in
                writer.object("counts") { writer in
                    for rule in rules { writer.member(rule.id, rule.count) }
                }
            }
        ) { writer, entry in
            writer.member("number", entry.number)
            writer.member("time", entry.time.rfc3339)
            writer.member("connection", entry.connection)
            writer.member("push", entry.arrival)
            writer.member("rejected", entry.violation.isRejection)
            PushForm.write(entry.violation, to: &writer)
        }
    }

    // MARK: Reset

    @Sendable private static func reset(_ request: ConsoleRequest) async throws -> Response {
        _ = try request.form()
        request.namespace.stage.reset()
        request.namespace.phones.reset()
        return .noContent
    }
}
