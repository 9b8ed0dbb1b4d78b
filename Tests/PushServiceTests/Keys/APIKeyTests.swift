import Foundation
import PushQueue
import TestSupport
import Testing

@testable import PushService

@Suite struct APIKeyTests {
    private func withQueue(_ body: (SQLiteQueue) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let queue = try SQLiteQueue(folder.path("queue.sqlite"))
        try await body(queue)
        await queue.close()
    }

    @Test func `a key has an id and 32 random bytes, and is not stored`() async throws {
        try await withQueue { queue in
            let keys = APIKeys(queue)
            let (text, key) = try await keys.create(apps: ["shop"], scopes: [.send], name: "the shop")
            #expect(text.wholeMatch(of: /psk_[a-z0-9]{8}_[A-Za-z0-9_-]{43}/) != nil)
            #expect(text.contains("_\(key.id)_"))
            let record = try #require(try await queue.record(kind: "api_key", key: key.id))
            let stored = String(decoding: record.value, as: UTF8.self)
            #expect(!stored.contains(text) && !stored.contains(text.suffix(43)))
            #expect(try await keys.list() == [key])
        }
    }

    @Test func `only the whole key is accepted`() async throws {
        try await withQueue { queue in
            let keys = APIKeys(queue)
            let (text, key) = try await keys.create(apps: ["shop"], scopes: [.send, .read])
            #expect(try await keys.verify(text) == key)
            let other = try await keys.create(apps: ["shop"], scopes: [.send]).text
            let mixed = String(text.prefix(13)) + other.suffix(43)
            for wrong in [
                mixed, String(text.dropLast()), text + "A", text.uppercased(), "", "psk_",
                "psk_''''''''_" + text.suffix(43),
            ] {
                #expect(try await keys.verify(wrong) == nil)
            }
        }
    }

    @Test func `a revoked key is refused at once by its process, and soon by others`() async throws {
        try await withQueue { queue in
            let clock = ManualTime()
            let keys = APIKeys(queue) { clock.instant }
            let others = APIKeys(queue) { clock.instant }
            let (text, key) = try await keys.create(apps: ["shop"], scopes: [.send])
            #expect(try await keys.verify(text) != nil)
            #expect(try await others.verify(text) != nil)
            #expect(try await keys.revoke(key.id))
            #expect(try await keys.verify(text) == nil)
            #expect(try await others.verify(text) != nil)
            clock.advance(by: APIKeys.cacheTime)
            #expect(try await others.verify(text) == nil)
            #expect(try await !keys.revoke(key.id))
        }
    }

    @Test func `a restored key is accepted again`() async throws {
        try await withQueue { queue in
            let keys = APIKeys(queue)
            let (text, key) = try await keys.create(apps: ["shop"], scopes: [.send])
            let record = try #require(try await queue.record(kind: "api_key", key: key.id))
            _ = try await keys.revoke(key.id)
            #expect(try await keys.verify(text) == nil)
            _ = try await queue.store(record.value, kind: "api_key", key: key.id, ifVersion: nil)
            #expect(try await keys.verify(text) == key)
        }
    }

    @Test func `a key needs an app and a scope`() async throws {
        try await withQueue { queue in
            let keys = APIKeys(queue)
            await #expect(throws: QueueError.self) { try await keys.create(apps: [], scopes: [.send]) }
            await #expect(throws: QueueError.self) { try await keys.create(apps: ["shop"], scopes: []) }
        }
    }

    @Test func `admin may do everything, the others only their own`() {
        func key(_ scopes: KeyScope...) -> APIKey {
            APIKey(id: "abcdefgh", name: "", apps: ["shop"], scopes: Set(scopes), created: .earliest)
        }
        #expect(KeyScope.allCases.allSatisfy(key(.admin).may))
        for scope in KeyScope.allCases where scope != .admin {
            #expect(KeyScope.allCases.filter(key(scope).may) == [scope])
        }
    }
}
