import Foundation
import NIOConcurrencyHelpers
import PushDelivery
import PushJSON
import PushProvider
import PushQueue
import PushQueuePostgres
import QueueConformance
import TestSupport
import Testing

@testable import PushService

/// What the server answers, and how often it was asked for an export.
final class PlayedExport: Sendable {
    /// The status of the answer to a request; 200 for an export.
    let status = NIOLockedValueBox(200)
    let state = NIOLockedValueBox("SUCCESS")
    /// The bundle ids of the apps whose export is never ready, whatever the state is.
    let neverReady = NIOLockedValueBox<Set<String>>([])
    let file = NIOLockedValueBox("")
    /// The status of the download.
    let download = NIOLockedValueBox(200)
    /// After how many bytes the file breaks off.
    let cut = NIOLockedValueBox<Int?>(nil)
    /// The app whose request gets no answer.
    let silent = NIOLockedValueBox("")
    /// The bodies of the requests for an export, and the tokens.
    let requests = Watched<[(body: String, token: String)]>([])
    /// How often it was looked whether an export is ready.
    let looks = Watched(0)

    func steps(_ request: ServedRequest) -> [ServerStep] {
        func answer(_ status: Int, _ body: String = "") -> [ServerStep] {
            [.answer(request.streamID, status, body: body)]
        }
        let (path, root) = (request.fields[":path"] ?? "", "https://\(request.fields[":authority"] ?? "")")
        if path.hasPrefix("/status/") {
            looks.change { $0 += 1 }
            let isReady = !neverReady.withLockedValue { $0.contains(String(path.dropFirst("/status/".count))) }
            let state = isReady ? state.withLockedValue { $0 } : "PROCESSING"
            return answer(200, #"{"status":"\#(state)","downloadDetails":{"dataUrl":"\#(root)/data"}}"#)
        }
        if path == "/data" {
            let (file, id) = (file.withLockedValue { $0 }, request.streamID)
            guard let cut = cut.withLockedValue({ $0 }) else { return answer(download.withLockedValue { $0 }, file) }
            return [
                .frame(.status(200, on: id)),
                .frame(Frame(kind: .data, streamID: id, payload: Array(file.utf8.prefix(cut)))),
                .frame(Frame(kind: .resetStream, streamID: id, payload: [0, 0, 0, 2])),
            ]
        }
        let token = request.fields["x-apple-cloudkit-management-token"] ?? ""
        requests.change { $0.append((request.body, token)) }
        let silent = silent.withLockedValue { $0 }
        if !silent.isEmpty, path.contains(silent) { return [] }
        let app = path.split(separator: "/").first { $0.hasPrefix("com.example.") } ?? ""
        return answer(status.withLockedValue { $0 }, #"{"statusUrl":"\#(root)/status/\#(app)"}"#)
    }

    func set(_ lines: String...) {
        file.withLockedValue { $0 = (["Push Type,Status,Date (UTC),Count"] + lines).joined(separator: "\n") }
    }
}

/// A queue, whose clock only a test moves if it is a file, a server, and an app whose counts are imported.
struct DeliveryGround: Sendable {
    let export = PlayedExport()
    let server: ScriptedServer
    let folder: TemporaryFolder
    let queue: any QueueBackend
    let offset: NIOLockedValueBox<Duration>
    let start = QueueTime.now
    let log = CapturedLog()

    init(postgres: Bool = false) async throws {
        let export = export
        server = try await ScriptedServer.start(ServerScript(onRequest: { export.steps($0) }))
        folder = try TemporaryFolder()
        try folder.write("s3cr3t-token\nand more\n", to: "export.token")
        let offset = NIOLockedValueBox(Duration.zero)
        self.offset = offset
        if postgres {
            let server = try #require(try PostgresServer.shared())
            queue = try await PostgresQueue(
                PostgresAddress(server.address(schema: server.newSchema())), options: .patient)
        } else {
            var options = SQLiteQueue.Options()
            let start = start
            options.queue.clock = { start + offset.withLockedValue { $0 } }
            queue = try SQLiteQueue(folder.path("queue.sqlite"), options: options)
        }
    }

    func makeDue() async throws {
        try await change { ($0.due, $0.busy) = (.earliest, .earliest) }
    }

    func change(_ body: (inout DeliveryImportState) -> Void) async throws {
        var state = try await state()
        body(&state)
        _ = try await queue.store(state.encoded, kind: DeliveryImportState.kind, key: "shop", ifVersion: nil)
    }

    /// Moves the clock to noon, so that no night begins soon.
    func advanceToNoon() {
        let day = DeliveryCounts.secondsOfDay * 1000
        advance(by: .milliseconds((day / 2 - start.milliseconds % day + day) % day))
    }

    func advance(by duration: Duration) { offset.withLockedValue { $0 += duration } }

    func apps(_ names: [String] = ["shop"]) -> ServedApps {
        let environment = PushEnvironment(
            host: "127.0.0.1", port: server.port, trust: .authorities(pem: server.identity.authorityPEM))
        let settings = names.map { name in
            RunningService.app(name) {
                $0.environment = environment
                $0.deliveryCounts = DeliveryCountSource(
                    tokenFile: folder.path("export.token"), teamID: "TEAM123456", bundleID: "com.example.\(name)")
            }
        }
        let all = Dictionary(uniqueKeysWithValues: settings.map { ($0.name, $0) })
        return ServedApps(settings: { all })
    }

    func imports(_ names: [String] = ["shop"]) -> DeliveryImports {
        DeliveryImports(
            queue: queue, apps: apps(names), logger: log.logger, limits: (.seconds(3600), .seconds(3600)))
    }

    func state(_ app: String = "shop") async throws -> DeliveryImportState {
        try #require(try await DeliveryImportState.all(apps([app]), queue)[app])
    }

    func days(_ app: String = "shop") async throws -> [DeliveryCounts] {
        try await DeliveryCounts.all(of: app, queue)
    }
}

extension DeliveryCounts {
    /// Stores the counts of a day in place of those that are there.
    func store(_ queue: any QueueBackend, _ app: String = "shop") async throws {
        let record = record(of: app)
        _ = try await queue.store(record.value, kind: record.kind, key: record.key, ifVersion: nil)
    }
}
