import Foundation
import PushQueue
import TestSupport
import Testing

/// The commands of `pushserve queue` and `pushserve key` on a database.
@Suite struct QueueCommandTests {
    private static let token = String(repeating: "5f3ad1c07b9e4286", count: 4)
    private let ground: Ground
    private let path: String

    init() throws {
        ground = try Ground()
        path = ground.path("queue.sqlite")
    }

    /// Puts jobs into the queue.
    private func enqueue(_ count: Int, app: String, token: String = token) async throws -> [UUID] {
        let queue = try SQLiteQueue(path)
        let jobs = (0..<count).map { NewQueueJob(to: .device(token), payload: Array("{\"n\":\($0)}".utf8)) }
        let answer = try await queue.enqueue(EnqueueRequest(jobs, app: app))
        await queue.close()
        guard case .done(let results) = answer else { return [] }
        return results.compactMap(\.id)
    }

    private func pushserve(_ arguments: String..., input: String = "") async throws -> Ended {
        try await ground.start(
            arguments, environment: ["PUSHSERVE_DATABASE": path], input: input
        ).end()
    }

    private func text(_ id: UUID) -> String { id.uuidString.lowercased() }

    @Test func `stats count the jobs of each app`() async throws {
        _ = try await enqueue(2, app: "shop")
        _ = try await enqueue(1, app: "news")
        let objects = try await pushserve("queue", "stats", "--json").objects
        #expect(objects.map { $0["app"] as? String } == ["news", "shop"])
        #expect(objects.map { $0["waiting"] as? Int } == [1, 2])
        #expect(objects.last?["started"] as? Int == 0)
        let table = try await pushserve("queue", "stats")
        #expect(table.outputLines.count == 3)
        #expect(table.outputLines.last?.hasPrefix("shop     0        2") == true, "\(table.output)")
    }

    @Test func `list has the jobs in order, by state, and in pages`() async throws {
        let ids = try await enqueue(3, app: "shop")
        let all = try await pushserve("queue", "list", "--json")
        #expect(all.objects.map { $0["id"] as? String } == ids.map(text))
        #expect(all.objects.first?["token"] as? String == Self.token)
        let page = try await pushserve("queue", "list", "--app", "shop", "--limit", "2", "--json")
        #expect(page.objects.count == 2)
        let cursor = try #require(page.errors.firstMatch(of: /--after (\S+)/)).1
        let rest = try await pushserve("queue", "list", "--app", "shop", "--after", String(cursor), "--json")
        #expect(rest.objects.map { $0["id"] as? String } == [text(ids[2])])
        #expect(try await pushserve("queue", "list", "--state", "finished").output == "There are no such jobs.\n")
        // A token is not shown to people as a whole.
        #expect(try await pushserve("queue", "list").output.contains(Self.token) == false)
    }

    @Test func `what commands change is in the audit, with the user and the machine, and what changes nothing is not`()
        async throws
    {
        let ids = try await enqueue(4, app: "shop")
        let key = try await pushserve("key", "create", "--app", "shop", "--scope", "read", "--name", "laptop", "--json")
        let keyID = try #require(key.objects.first?["id"] as? String)
        _ = try await pushserve("queue", "cancel", text(ids[0]))
        _ = try await pushserve("queue", "cancel", text(ids[0]))
        // The first one has ended, and does not count.
        _ = try await pushserve("queue", "bury", text(ids[0]), text(ids[1]), text(ids[2]))
        _ = try await pushserve("queue", "retry", "--dead", "--app", "shop")
        _ = try await pushserve("queue", "cancel", "--all", "--app", "shop")
        _ = try await pushserve("queue", "cancel", "--all", "--app", "shop")
        _ = try await pushserve("queue", "purge", "--token", Self.token, "--app", "shop")
        _ = try await pushserve("key", "revoke", keyID, "nonesuch")
        let queue = try SQLiteQueue(path)
        let records = try await queue.audit(of: nil, before: nil, limit: 100).reversed()
        await queue.close()
        let entries = records.map {
            (try? JSONSerialization.jsonObject(with: Data($0.entry.content)) as? [String: Any]) ?? [:]
        }
        #expect(
            entries.map { $0["action"] as? String } == [
                "key.create", "notification.cancel", "notifications.bury", "dead_letters.redrive",
                "notifications.cancel", "notifications.erase", "key.revoke",
            ])
        #expect(records.allSatisfy { $0.entry.app == "shop" })
        #expect(entries.map { $0["count"] as? Int } == [nil, nil, 2, 2, 3, nil, nil])
        #expect(entries.allSatisfy { $0["key"] as? String == "command" && $0["key_name"] as? String != "" })
        #expect(entries[0]["object"] as? String == keyID && entries[0]["object_name"] as? String == "laptop")
        #expect(entries[1]["object"] as? String == text(ids[0]) && entries[2]["object"] == nil)
        #expect(entries.last?["before"] as? String == "laptop (read)")
        #expect(!"\(entries)".contains(Self.token))
    }

    @Test func `cancel, bury and retry change a job, and say what they did`() async throws {
        let ids = try await enqueue(2, app: "shop")
        let cancelled = try await pushserve("queue", "cancel", text(ids[0]), "--json")
        #expect(cancelled.status == 0)
        #expect(cancelled.objects.first?["result"] as? String == "cancelled")
        let again = try await pushserve("queue", "cancel", text(ids[0]), "--json")
        #expect(again.status == 1)
        #expect(again.objects.first?["result"] as? String == "finished")

        let buried = try await pushserve("queue", "bury", text(ids[1]), "--reason", "a wrong text")
        #expect(buried.output == "\(text(ids[1]))  buried\n")
        let dead = try await pushserve("queue", "list", "--dead", "--json").objects
        #expect(dead.map { $0["id"] as? String } == [text(ids[1])])
        #expect((dead.first?["outcome"] as? [String: Any])?["detail"] as? String == "a wrong text")

        let retried = try await pushserve("queue", "retry", "--dead", "--app", "shop", "--ttl", "2h", "--json")
        let new = try #require(retried.objects.first?["redriven_as"] as? String)
        #expect(retried.objects.first?["result"] as? String == "queued")
        let expires = try #require(retried.objects.first?["expires_at"] as? String)
        #expect(
            retried.objects.first?["changes"] as? [String] == [
                "It expires at \(expires); the dead letter never expired."
            ])
        let shown = try await pushserve("queue", "show", new, "--json").objects
        #expect(shown.first?["state"] as? String == "waiting")
        #expect(shown.first?["expires_at"] != nil)
        let history = (shown.first?["history"] as? [[String: Any]])?.compactMap { $0["event"] as? String }
        #expect(history?.contains("redriven") == true)
        // A dead letter is put in once.
        #expect(try await pushserve("queue", "retry", "--dead", "--app", "shop", "--json").objects.isEmpty)
    }

    @Test func `an id that does not exist is reported, with exit code 1`() async throws {
        _ = try await enqueue(1, app: "shop")
        let id = text(UUID())
        let shown = try await pushserve("queue", "show", id)
        #expect(shown.status == 1)
        #expect(shown.errors.contains("There is no job \(id)."))
        for command in ["cancel", "bury", "retry"] {
            let ended = try await pushserve("queue", command, id, "--json")
            #expect(ended.status == 1)
            #expect(ended.objects.first?["result"] as? String == "unknown")
        }
    }

    @Test func `a cancellation tells which jobs an earlier try may have sent`() async throws {
        let queue = try SQLiteQueue(path)
        var job = NewQueueJob(to: .device(Self.token), payload: [0x7B, 0x7D])
        job.policy = .atLeastOnce
        _ = try await queue.enqueue(EnqueueRequest([job, job, job], app: "shop"))
        let claimed = try await queue.claim(
            QueueClaimRequest(owner: "test", limit: 2, lease: .seconds(60), apps: ["shop": 2]))
        _ = try await queue.start(claimed.map(\.lease))
        for job in claimed {
            var retry = QueueJobRetry(job.lease, due: .after(.zero), reason: "reset")
            retry.mayHaveArrived = true
            _ = try await queue.retry([retry])
        }
        await queue.close()
        let one = try await pushserve("queue", "cancel", text(claimed[0].lease.id), "--json").objects.first
        #expect(one?["result"] as? String == "cancelled" && one?["outcome"] as? String == "unknown")
        let all = try await pushserve("queue", "cancel", "--all", "--app", "shop")
        let more = "1 more won't be retried, but an earlier try may have reached Apple, so its outcome is unknown."
        #expect(all.output == "Cancelled 1 job of shop. \(more)\n")
    }

    @Test func `all waiting jobs of an app can be cancelled`() async throws {
        _ = try await enqueue(5, app: "shop")
        _ = try await enqueue(1, app: "news")
        let ended = try await pushserve("queue", "cancel", "--all", "--app", "shop", "--json")
        #expect(ended.objects.first?["cancelled"] as? Int == 5 && ended.objects.first?["unknown"] as? Int == 0)
        let stats = try await pushserve("queue", "stats", "--json").objects
        #expect(stats.map { $0["waiting"] as? Int } == [1, 0])
    }

    @Test func `a purge erases the jobs of one device, in every app`() async throws {
        let other = String(repeating: "ab", count: 32)
        _ = try await enqueue(2, app: "shop")
        _ = try await enqueue(1, app: "news")
        let kept = try await enqueue(1, app: "shop", token: other)
        let ended = try await pushserve(
            "queue", "purge", "--token", "-", "--json", input: Self.token.uppercased() + "\n")
        #expect(ended.objects.first?["purged"] as? Int == 3, "\(ended.errors)")
        let left = try await pushserve("queue", "list", "--json").objects
        #expect(left.map { $0["id"] as? String } == kept.map(text))
    }

    @Test func `a purge says when inboxes were not asked, and when one cannot be reached`() async throws {
        _ = try await enqueue(2, app: "shop")
        let words = ["queue", "purge", "--token", Self.token]
        let only = try await ground.start(words, environment: ["PUSHSERVE_DATABASE": path], input: "").end()
        #expect(only.status == 0 && only.output.contains("Erased 2 jobs"), "\(only.output)")
        #expect(only.output.contains("Inboxes were not asked: for them, give --config"), "\(only.output)")
        let json = try await pushserve("queue", "purge", "--all", "--app", "shop", "--json", "--database", path)
        #expect(json.objects.first?["inboxes_asked"] as? Bool == false, "\(json.output)")
        let none = try await ground.start(words + ["--config", try ground.configure()], environment: [:], input: "")
            .end()
        #expect(none.status == 0 && !none.output.contains("nboxes"), "\(none.output)")

        _ = try await enqueue(1, app: "shop")
        let config = try ground.configure("inbox: {database: \"postgres://shop@127.0.0.1:1/shop\"}")
        let down = try await ground.start(words + ["--config", config], environment: [:], input: "").end()
        #expect(down.status == 69 && down.errors.contains("127.0.0.1:1"), "\(down.status) \(down.errors)")
        #expect(
            down.errors.contains("1 job was erased from the queue, but rows and outcomes may be left"), "\(down.errors)"
        )
    }

    @Test func `purge erases everything of one app`() async throws {
        _ = try await enqueue(3, app: "shop")
        let kept = try await enqueue(1, app: "news")
        let ended = try await pushserve("queue", "purge", "--all", "--app", "shop", "--json")
        #expect(ended.objects.first?["purged"] as? Int == 3, "\(ended.errors)")
        let left = try await pushserve("queue", "list", "--json").objects
        #expect(left.map { $0["id"] as? String } == kept.map(text))
    }

    @Test func `an app that nobody knows is named, so that a misspelt one does not look like success`() async throws {
        _ = try await enqueue(1, app: "shop")
        for words in [
            ["list"], ["purge", "--all"], ["purge", "--token", Self.token], ["retry", "--dead"], ["cancel", "--all"],
        ] {
            let unknown = try await ground.start(
                ["queue"] + words + ["--app", "shpo", "--database", path], environment: [:], input: ""
            ).end()
            #expect(unknown.status == 1, "\(words): \(unknown.errors)")
            #expect(unknown.errors.contains(#"has an app "shpo". Did you mean "shop"?"#), "\(words): \(unknown.errors)")
        }
        let known = try await pushserve("queue", "list", "--app", "shop")
        #expect(known.errors == "" && known.status == 0, "\(known.errors)")
    }

    @Test func `the commands work while another process has the queue open`() async throws {
        let queue = try SQLiteQueue(path)
        let answer = try await queue.enqueue(
            EnqueueRequest([NewQueueJob(to: .device(Self.token), payload: [0x7B, 0x7D])], app: "shop"))
        guard case .done(let results) = answer, let id = results.first?.id else { return #expect(Bool(false)) }
        #expect(try await pushserve("queue", "cancel", text(id)).status == 0)
        #expect(try await queue.jobs([id], app: "shop").first?.state == .finished)
        await queue.close()
    }

    // MARK: Keys

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: ["", "--json"])
    func `a key that nobody has seen is revoked`(form: String) async throws {
        let command = "'\(BuiltPushserve.url.path())' key create --app shop --scope send --database '\(path)' \(form)"
        let ended = try await ground.start(tool: ["sh", "-c", command + " > /dev/full"]).end()
        #expect(ended.status == 74 && ended.errors.contains("so it's revoked"), "\(ended.errors)")
        #expect(try await pushserve("key", "list", "--json").objects.isEmpty)
    }

    @Test func `a key is shown once, listed without its secret, and revoked`() async throws {
        let created = try await pushserve(
            "key", "create", "--app", "shop,news", "--scope", "read", "--scope", "send", "--name", "backend", "--json")
        #expect(created.status == 0, "\(created.errors)")
        let object = try #require(created.objects.first)
        let key = try #require(object["key"] as? String)
        let id = try #require(object["id"] as? String)
        #expect(try #/psk_[a-z0-9]{8}_[A-Za-z0-9_-]{43}/#.wholeMatch(in: key) != nil)
        #expect(key.hasPrefix("psk_\(id)_"))
        #expect(object["apps"] as? [String] == ["shop", "news"])
        #expect(object["scopes"] as? [String] == ["send", "read"])

        let list = try await pushserve("key", "list", "--json")
        #expect(list.objects.map { $0["id"] as? String } == [id])
        #expect(!list.output.contains(key.suffix(43)))
        // The secret is in no file either.
        for file in try FileManager.default.contentsOfDirectory(atPath: ground.folder.path()) {
            let content = try Data(contentsOf: ground.folder.appending(path: file))
            #expect(content.range(of: Data(key.suffix(43).utf8)) == nil)
        }

        // Somebody may paste the whole key.
        #expect(try await pushserve("key", "revoke", key).output == "\(id)  revoked\n")
        #expect(try await pushserve("key", "list", "--json").output.isEmpty)
        #expect(try await pushserve("key", "revoke", id).status == 1)
    }

    @Test func `the key alone is on standard output`() async throws {
        let ended = try await pushserve("key", "create", "--all-apps", "--scope", "admin")
        #expect(ended.outputLines.count == 1)
        #expect(ended.output.hasPrefix("psk_"))
        #expect(ended.errors.contains("for all apps"))
    }
}
