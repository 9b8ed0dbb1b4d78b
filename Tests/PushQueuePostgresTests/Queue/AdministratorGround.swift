import NIOConcurrencyHelpers
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// A queue of a role that is no superuser, and a connection of an administrator.
struct AdministratorGround {
    let server: PostgresServer
    let schema: String
    let role: String
    let address: PostgresAddress
    let admin: PostgresConnection
    let queue: PostgresQueue

    init(_ server: PostgresServer? = nil, options: PostgresQueue.Options = .patient) async throws {
        self.server = try server ?? #require(try PostgresServer.shared())
        schema = self.server.newSchema()
        role = "poor_\(schema)"
        admin = try PostgresConnection(PostgresAddress(self.server.address(schema: schema)), .patient)
        try admin.execute(
            "CREATE ROLE \(role) LOGIN PASSWORD 'poor'; CREATE SCHEMA \(schema) AUTHORIZATION \(role)")
        let text = "postgres://\(role):poor@127.0.0.1:\(self.server.port)/postgres?schema=\(schema)"
        address = try PostgresAddress(text)
        queue = try await PostgresQueue(address, options: options)
        #expect(try await queue.add([.sample()]).count == 1)
    }

    func open() async throws -> PostgresQueue { try await PostgresQueue(address, options: .patient) }

    /// The error with which the queue refuses to open.
    func startError() async throws -> QueueError {
        let error = await #expect(throws: QueueError.self) { _ = try await open() }
        return try #require(error)
    }

    /// Adds jobs until that fails. From then on, nothing may be confirmed.
    func nextError() async throws -> QueueError {
        var number = 2
        while true {
            try Task.checkCancellation()
            number += 1
            do { _ = try await queue.add([.sample(number)]) } catch let error as QueueError {
                for _ in 0..<3 { await #expect(throws: QueueError.self) { _ = try await queue.add([.sample(1)]) } }
                await #expect(throws: QueueError.self) { try await queue.checkWriting() }
                return error
            }
        }
    }

    /// Waits until jobs are taken again.
    func works() async throws {
        while true {
            try Task.checkCancellation()
            do { try await queue.checkWriting() } catch { continue }
            _ = try await queue.add([.sample(1)])
            return
        }
    }
}
