import Foundation
import NIOConcurrencyHelpers
import PushDelivery
import PushJSON
import PushProvider
import PushQueue
import PushQueuePostgres
import TestSupport
import Testing

@testable import PushService

/// Which of several workers imports Apple's delivery counts, and when it tries again.
@Suite struct DeliveryWorkerTests {
    private static func day(_ back: Int) -> String { DeliveryCounts.day(back, before: .now) }

    @Test func `of several workers, one imports`() async throws {
        let ground = try await DeliveryGround()
        let workers = (0..<6).map { _ in ground.imports() }
        await withTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { await worker.round() } }
        }
        #expect(ground.export.requests.value.count == 1)
        #expect(try await ground.state().failure == nil)
        await ground.queue.close()
    }

    @Test func `if the worker that imports dies, another one begins five minutes later`() async throws {
        let ground = try await DeliveryGround()
        ground.export.set("alert,Delivered,\(Self.day(1)),7")
        try await ground.change { $0.busy = ground.start + .seconds(300) }
        await ground.imports().round()
        #expect(ground.export.requests.value.isEmpty)
        ground.advance(by: .seconds(301))
        await ground.imports().round()
        #expect(try await ground.days().count == 1)
        await ground.queue.close()
    }

    @Test func `what is replaced after a failure is tried soon`() async throws {
        let ground = try await DeliveryGround()
        ground.export.status.withLockedValue { $0 = 401 }
        let settings = NIOLockedValueBox(ground.apps().settings())
        func imports() -> DeliveryImports {
            DeliveryImports(
                queue: ground.queue, apps: ServedApps(settings: { settings.withLockedValue { $0 } }),
                logger: ground.log.logger)
        }
        let first = imports()
        await first.round()
        ground.advance(by: .seconds(61))
        await first.round()
        #expect(ground.export.requests.value.count == 1, "Nothing has changed.")
        try ground.folder.write("renewed-token\n", to: "export.token")
        await first.round()
        #expect(ground.export.requests.value.map(\.token) == ["s3cr3t-token", "renewed-token"])
        #expect(try await ground.state().failures == 1, "The pauses begin anew.")
        settings.withLockedValue { $0["shop"]?.deliveryCounts?.bundleID = "com.example.other" }
        await first.round()
        #expect(ground.export.requests.value.count == 2, "A minute after a failure, at the earliest.")
        ground.advance(by: .seconds(61))
        await first.round()
        #expect(ground.export.requests.value.count == 3)
        // A service that starts does not know what was replaced before.
        ground.advance(by: .seconds(61))
        await imports().round()
        #expect(ground.export.requests.value.count == 4)
        await ground.queue.close()
    }

    @Test func `after a failure, each worker that starts tries once, and none sooner than a minute later`() async throws
    {
        let ground = try await DeliveryGround()
        ground.export.status.withLockedValue { $0 = 401 }
        var worker = ground.imports()
        await worker.round()
        for tries in 2...4 {
            ground.advance(by: .seconds(61))
            worker = ground.imports()
            await worker.round()
            #expect(ground.export.requests.value.count == tries)
            await ground.imports().round()
            #expect(ground.export.requests.value.count == tries, "Within a minute.")
        }
        ground.advance(by: .seconds(61))
        await worker.round()
        #expect(ground.export.requests.value.count == 4, "Once.")
        await ground.queue.close()
    }

    @Test func `a file that is replaced for all workers is tried by one of them`() async throws {
        let ground = try await DeliveryGround()
        ground.advanceToNoon()
        let workers = (0..<6).map { _ in ground.imports() }
        ground.export.set("alert,Delivered,\(Self.day(1)),7")
        for worker in workers { await worker.round() }
        #expect(ground.export.requests.value.count == 1)
        for (status, token) in [(200, "second-token"), (401, "third-token"), (200, "fourth-token")] {
            let before = ground.export.requests.value.count
            ground.export.status.withLockedValue { $0 = status }
            try ground.folder.write("\(token)\n", to: "export.token")
            ground.advance(by: .seconds(61))
            await withTaskGroup(of: Void.self) { group in
                for worker in workers { group.addTask { await worker.round() } }
            }
            ground.advance(by: .seconds(61))
            for worker in workers { await worker.round() }
            let tokens = ground.export.requests.value.map(\.token).dropFirst(before)
            #expect(Array(tokens) == [token], "\(tokens)")
        }
        let record = try await ground.queue.record(kind: DeliveryImportState.kind, key: "shop")
        #expect(record.map { String(decoding: $0.value, as: UTF8.self).contains("fourth-token") } == false)
        await ground.queue.close()
    }

    @Test func `workers with different files do not take turns`() async throws {
        let ground = try await DeliveryGround()
        ground.advanceToNoon()
        let (old, new) = (ground.imports(), NIOLockedValueBox(ground.apps().settings()))
        let other = DeliveryImports(
            queue: ground.queue, apps: ServedApps(settings: { new.withLockedValue { $0 } }), logger: ground.log.logger)
        for _ in 1...2 {
            await old.round()
            await other.round()
        }
        try ground.folder.write("other-token\n", to: "other.token")
        new.withLockedValue { $0["shop"]?.deliveryCounts?.tokenFile = ground.folder.path("other.token") }
        for _ in 1...4 {
            ground.advance(by: .seconds(61))
            await old.round()
            await other.round()
        }
        #expect(ground.export.requests.value.map(\.token) == ["s3cr3t-token", "other-token"])
        await ground.queue.close()
    }

    @Test func `a worker that dies with a new token leaves it to the next one`() async throws {
        let ground = try await DeliveryGround()
        let (first, second) = (ground.imports(), ground.imports())
        for worker in [first, second] { await worker.round() }
        ground.export.silent.withLockedValue { $0 = "com.example.shop" }
        try ground.folder.write("renewed-token\n", to: "export.token")
        let round = Task { await first.round() }
        _ = try await ground.export.requests.wait(for: "the request") { $0.count == 2 }
        let busy = try await ground.queue.record(kind: DeliveryImportState.kind, key: "shop")
        round.cancel()
        await round.value
        // As if it had died without a word.
        ground.export.silent.withLockedValue { $0 = "" }
        _ = try await ground.queue.store(
            busy?.value ?? [], kind: DeliveryImportState.kind, key: "shop", ifVersion: nil)
        await second.round()
        #expect(ground.export.requests.value.count == 2)
        ground.advance(by: .seconds(241))
        await second.round()
        #expect(ground.export.requests.value.map(\.token).last == "renewed-token")
        #expect(ground.export.requests.value.count == 3)
        await ground.queue.close()
    }
}
