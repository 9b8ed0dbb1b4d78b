import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// Where the queue of several workers is.
enum WorkerStore: String, Sendable, CaseIterable {
    /// In a file, which all workers of a test use through one object.
    case file
    /// In PostgreSQL, each worker with connections of its own.
    case server

    /// Those that this machine has.
    static var available: [WorkerStore] { PostgresServer.isInstalled ? allCases : [.file] }

    /// A new queue; `nil` for a file, which the scene makes.
    func make() throws -> ServerStore? {
        self == .server ? try ServerStore() : nil
    }
}

/// A queue in a schema of its own.
struct ServerStore {
    let address: PostgresAddress

    /// `port` is that of a proxy in front of the server.
    init(through port: Int? = nil) throws {
        let server = try #require(try PostgresServer.shared())
        var text = server.address(schema: server.newSchema())
        if let port {
            text = text.replacing(":\(server.port)", with: ":\(port)") + "&sslmode=disable&gssencmode=disable"
        }
        address = try PostgresAddress(text)
    }

    /// The same queue, without the proxy.
    var direct: PostgresAddress {
        get throws {
            let server = try #require(try PostgresServer.shared())
            return try PostgresAddress(server.address(schema: address.schema))
        }
    }

    /// Opens it as one worker does.
    func open(pollInterval: Duration = .seconds(1)) async throws -> PostgresQueue {
        var options = PostgresQueue.Options.patient
        options.pollInterval = pollInterval
        return try await PostgresQueue(address, options: options)
    }
}
