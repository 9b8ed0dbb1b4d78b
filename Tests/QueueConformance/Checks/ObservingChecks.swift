import PushPlatform
import PushQueue
import Testing

extension QueueConformance {
    static let observing: [QueueConformance] = [
        .init("the jobs of a device are found, the newest first, page by page") { queue, clock in
            var ids: [UUID] = []
            for _ in 0..<5 {
                ids += try await queue.add([.sample(7), .sample(8)])
                clock.advance(by: .seconds(1))
            }
            _ = try await queue.add([.sample(7)], app: "bank")
            let first = ids.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
            let token = QueueJobTarget.device(NewQueueJob.token(7))
            #expect(try await queue.list(.target(token), limit: 2) == first.reversed())
            #expect(try await queue.list(.target(token), app: "bank").count == 1)
            #expect(try await queue.list(.target(.device("abcd"))).isEmpty)
            #expect(try await queue.list(.target(.channel(NewQueueJob.token(7)))).isEmpty)
            #expect(try await queue.purge(token: NewQueueJob.token(7), app: "shop") == 5)
            #expect(try await queue.list(.target(token)).isEmpty)
        },
        .init("jobs are found by collapse id, as whatever text it is") { queue, clock in
            let names = ["score", "sc", #"a "b" \ c"#, "Grüße 🙂", "x/y", "null"]
            var ids: [String: [UUID]] = [:]
            for name in names + names {
                let text =
                    #"{"by":1,"collapse_id":"\#(name.replacing(#"\"#, with: #"\\"#).replacing("\"", with: "\\\""))"}"#
                // The second one is a push to a person.
                let push = ids[name] == nil ? text : #"["\"collapse_id\":\"none\"",\#(text)]"#
                ids[name, default: []] += try await queue.add([.sample().with { $0.push = Array(push.utf8) }])
                clock.advance(by: .seconds(1))
            }
            _ = try await queue.add([
                .sample().with { $0.push = [] }, .sample().with { $0.push = Array(#"{"collapse_id""#.utf8) },
                .sample().with { $0.push = Array(#"{"ref":{"collapse_id":"other"}}"#.utf8) },
            ])
            for name in names {
                #expect(
                    try await queue.list(.collapseID(name), limit: 1) == ids[name, default: []].reversed(), "\(name)")
            }
            for name in ["none", "other"] { #expect(try await queue.list(.collapseID(name)).isEmpty, "\(name)") }
            #expect(try await queue.list(.collapseID("score"), app: "bank").isEmpty)
        },
        .init("the job that has a dedupe key is found") { queue, _ in
            let ids = try await queue.add([.sample(1).with { $0.dedupeKey = "order-1" }, .sample(2)])
            #expect(try await queue.list(.dedupeKey("order-1")) == [ids[0]])
            #expect(try await queue.list(.dedupeKey("order-2")).isEmpty)
            #expect(try await queue.list(.dedupeKey("order-1"), app: "bank").isEmpty)
        },
        .init("the waiting jobs that are due before a time are listed") { queue, clock in
            let now = clock.now
            let ids = try await queue.add(
                (0..<6).map { number in .sample(number).with { $0.due = .at(now + .seconds(60 * number)) } })
            var query = QueueJobQuery(app: "shop", filter: .state(.waiting), limit: 2)
            query.dueBefore = now + .seconds(180)
            var found: [UUID] = []
            repeat {
                let page = try await queue.jobs(query)
                found += page.items.map(\.id)
                query.after = page.next
            } while query.after != nil
            #expect(found == Array(ids[..<3]))
        },
        .init("payloads and the positions of outcomes are read") { queue, _ in
            let template = NewQueueJob.sample(1).with { $0.variables = Array(#"{"name":"Ann"}"#.utf8) }
            let ids = try await queue.add([template, .sample(2)])
            var contents = try await queue.contents(of: ids + [UUID()], app: "shop")
            #expect(contents.count == 2 && contents[ids[0]]?.payload == template.payload)
            #expect(contents[ids[0]]?.variables == template.variables && contents[ids[1]]?.variables == nil)
            #expect(contents.values.allSatisfy { $0.result == nil })
            #expect(try await queue.contents(of: ids, app: "bank").isEmpty)
            for job in try await queue.startAll() { _ = try await queue.complete(job, .accepted) }
            contents = try await queue.contents(of: ids, app: "shop")
            let page = try await queue.settled().results(of: ["shop"], after: .start, limit: 10)
            for (job, cursor) in zip(page.items, page.cursors) { #expect(contents[job.id]?.result == cursor) }
            _ = try await queue.settled().erasePayloads(finishedBefore: .zero, limit: 10)
            #expect(try await queue.contents(of: ids, app: "shop").values.allSatisfy { $0.payload == nil })
        },
        .init("the newest outcomes are listed, with filters, as a list of all would be") { queue, clock in
            let reasons: [QueueJobOutcome] = [
                .accepted, QueueJobOutcome(.rejected, reason: "Unregistered"),
                QueueJobOutcome(.rejected, reason: "BadDeviceToken"), QueueJobOutcome(.unknown, reason: "Unregistered"),
            ]
            var all: [(id: UUID, app: String, outcome: QueueJobOutcome)] = []
            for number in 0..<24 {
                let (app, outcome) = (number.isMultiple(of: 3) ? "bank" : "shop", reasons[number % 4])
                _ = try await queue.add([.sample(number)], app: app)
                for job in try await queue.startAll(app: app) {
                    _ = try await queue.complete(job, outcome)
                    all.append((job.id, app, outcome))
                }
                clock.advance(by: .seconds(1))
            }
            for apps in [["shop"], ["shop", "bank"], ["none"], []] {
                for kind in [nil, QueueJobOutcome.Kind.accepted, .rejected, .unknown, .notSent] {
                    for reason in [nil, "Unregistered", "none"] {
                        var query = QueueNewestQuery(of: apps, limit: 3)
                        (query.kind, query.reason) = (kind, reason)
                        var (found, pages): ([UUID], Int) = ([], 0)
                        repeat {
                            let page = try await queue.newest(query)
                            found += page.items.map(\.id)
                            (query.before, pages) = (page.next, pages + 1)
                        } while query.before != nil && pages < 50
                        let wanted = all.filter { job in
                            apps.contains(job.app) && kind.map { $0 == job.outcome.kind } ?? true
                                && reason.map { $0 == job.outcome.reason } ?? true
                        }
                        #expect(found == wanted.map(\.id).reversed(), "\(apps) \(kind as Any) \(reason as Any)")
                    }
                }
            }
        },
        .init("outcomes are counted in minutes and hours, in the step that stores them") { queue, clock in
            let start = QueueTallySpan.hour.begin(of: clock.now + .seconds(3600))
            clock.advance(by: start - clock.now)
            for (minute, outcome) in [
                (0, QueueJobOutcome.accepted), (0, QueueJobOutcome(.rejected, reason: "BadDeviceToken")),
                (1, .accepted), (61, .accepted),
            ] {
                clock.advance(by: start + .seconds(60 * minute) - clock.now)
                _ = try await queue.add([.sample(1), .sample(2)])
                for job in try await queue.startAll() { _ = try await queue.complete(job, outcome) }
            }
            let waiting = try await queue.add([.sample(3)])
            #expect(try await queue.cancel(waiting, app: "shop") == [.stopped])
            func counts(_ span: QueueTallySpan, since time: QueueTime) async throws -> [String] {
                try await queue.tallies(of: ["shop", "bank"], span, since: time).map {
                    "\($0.begin.milliseconds - start.milliseconds) \($0.kind.name) \($0.reason) \($0.count)"
                }
            }
            #expect(
                try await counts(.minute, since: start) == [
                    "0 accepted  2", "0 rejected BadDeviceToken 2", "60000 accepted  2", "3660000 accepted  2",
                    "3660000 not_sent cancelled 1",
                ])
            #expect(try await counts(.minute, since: start + .seconds(61 * 60 + 30)).count == 2)
            #expect(
                try await counts(.hour, since: start) == [
                    "0 accepted  4", "0 rejected BadDeviceToken 2", "3600000 accepted  2",
                    "3600000 not_sent cancelled 1",
                ])
            #expect(try await queue.tallies(of: ["bank"], .hour, since: start).isEmpty)
            let end = start + .seconds(3600)
            #expect(
                try await queue.tallies(of: ["shop"], .hour, since: start, until: end).map(\.begin) == [start, start])
            clock.advance(by: .seconds(3 * 86_400))
            while try await queue.dropKeys(limit: 1) > 0 {}
            #expect(try await counts(.minute, since: start).isEmpty)
            #expect(try await counts(.hour, since: start).count == 4)
            clock.advance(by: .seconds(401 * 86_400))
            while try await queue.dropKeys(limit: 100) > 0 {}
            #expect(try await counts(.hour, since: start).isEmpty)
        },
        .init("a server that invents reasons does not fill the counts") { queue, clock in
            let start = clock.now
            func complete(_ reason: String) async throws {
                _ = try await queue.add([.sample(1)])
                for job in try await queue.startAll() {
                    _ = try await queue.complete(job, QueueJobOutcome(.rejected, reason: reason))
                }
            }
            try await complete("BadDeviceToken")
            for group in 0..<6 {
                _ = try await queue.add((0..<50).map { .sample($0) })
                let jobs = try await queue.startAll()
                _ = try await queue.complete(
                    jobs.enumerated().map {
                        QueueJobCompletion($1.lease, QueueJobOutcome(.rejected, reason: "Reason\(group) \($0)"))
                    })
            }
            try await complete(String(repeating: "x", count: 500))
            // A reason that was counted before has its place.
            try await complete("BadDeviceToken")
            let tallies = try await queue.tallies(of: ["shop"], .hour, since: start)
            #expect(tallies.reduce(0) { $0 + $1.count } == 303)
            #expect(tallies.first { $0.reason == "BadDeviceToken" }?.count == 2)
            #expect(Set(tallies.map(\.reason)).count <= 2 * (QueueTallySpan.maximumReasons + 2))
            #expect(tallies.allSatisfy { $0.reason.utf8.count <= QueueTallySpan.longestReason })
        },
        .init("accepted pushes are counted by push type, and other outcomes by reason") {
            queue, clock in
            let start = QueueTallySpan.hour.begin(of: clock.now)
            func complete(_ kind: QueueJobOutcome.Kind, _ type: String?) async throws {
                for job in try await queue.startAll() {
                    var completion = QueueJobCompletion(job.lease, QueueJobOutcome(kind))
                    completion.pushType = type
                    #expect(try await queue.complete([completion]) == [.done])
                }
            }
            _ = try await queue.add([.sample(1), .sample(2)])
            try await complete(.accepted, "alert")
            _ = try await queue.add([.sample(3)])
            try await complete(.accepted, "vo\0ip")
            _ = try await queue.add([.sample(4)])
            try await complete(.rejected, "alert")
            _ = try await queue.add([.sample(5)])
            try await complete(.accepted, nil)
            let tallies = try await queue.tallies(of: ["shop"], .hour, since: start)
            let accepted = tallies.filter { $0.kind == .accepted }
            #expect(accepted.reduce(0) { $0 + $1.count } == 4)
            #expect(accepted.first { $0.reason == "alert" }?.count == 2)
            #expect(accepted.first { $0.reason.isEmpty }?.count == 1)
            #expect(tallies.filter { $0.kind == .rejected }.map(\.reason) == [""])
            #expect(try await queue.counts()["shop"]?.accepted == 4)
        },
        .init("who has changed something is noted with the change, and without it not") { queue, clock in
            @Sendable func entry(_ text: String, app: String = "shop") -> QueueAuditEntry {
                QueueAuditEntry(app: app, content: Array(text.utf8))
            }
            let ids = try await queue.add([.sample(1), .sample(2)])
            func counting(_ text: String) -> QueueAudit {
                QueueAudit { count in entry(count.map { "\(text) \($0)" } ?? text) }
            }
            // What counts is what was done.
            let both = [ids[0], UUID()]
            #expect(try await queue.cancel(both, app: "shop", audit: counting("cancel")) == [.stopped, .unknownJob])
            #expect(try await queue.cancel([ids[0]], app: "shop", audit: counting("again")) == [.finished(.notSent)])
            #expect(try await queue.store([1], kind: "kind", key: "key", ifVersion: 7, audit: entry("no")) == nil)
            #expect(try await queue.store([1], kind: "kind", key: "key", ifVersion: 0, audit: entry("store")) != nil)
            #expect(
                try await queue.removeRecord(kind: "kind", key: "none", ifVersion: nil, audit: entry("no")) == false)
            #expect(try await queue.cancelAll(app: "shop", limit: 9, audit: counting("all")).total == 1)
            try await queue.note(entry("bank", app: "bank"))
            try await queue.note(entry("several", app: ""))
            func texts(_ apps: [String]?) async throws -> [String] {
                var (texts, before): ([String], Int64?) = ([], nil)
                while true {
                    let page = try await queue.audit(of: apps, before: before, limit: 2)
                    texts += page.map { String(decoding: $0.entry.content, as: UTF8.self) }
                    guard let last = page.last else { return texts }
                    before = last.number
                }
            }
            #expect(try await texts(["shop"]) == ["all 1", "store", "cancel 1"])
            #expect(try await texts(["shop", "bank"]) == ["bank", "all 1", "store", "cancel 1"])
            #expect(try await texts([]).isEmpty)
            #expect(try await texts(nil) == ["several", "bank", "all 1", "store", "cancel 1"])
            clock.advance(by: .seconds(401 * 86_400))
            while try await queue.dropKeys(limit: 100) > 0 {}
            #expect(try await texts(nil).isEmpty)
        },
        .init("a change of several steps is noted with its first step, and with the total in its last") { queue, _ in
            let start = QueueAudit { count in
                QueueAuditEntry(app: "shop", content: Array((count.map(String.init) ?? "begun").utf8))
            }
            func texts() async throws -> [String] {
                try await queue.audit(of: nil, before: nil, limit: 100).map {
                    String(decoding: $0.entry.content, as: UTF8.self)
                }
            }
            let ids = try await queue.add((1...6).map { .sample($0) })
            var audit = start
            // Nothing is found in the first step and in the last one.
            #expect(try await queue.cancel([UUID()], app: "shop", isLast: false, &audit).total == 0)
            #expect(try await queue.cancel([ids[0], ids[1]], app: "shop", isLast: false, &audit).total == 2)
            #expect(try await queue.cancel([], app: "shop", isLast: false, &audit).total == 0)
            #expect(try await queue.cancel([ids[1], ids[2]], app: "shop", isLast: false, &audit).total == 1)
            #expect(try await texts() == ["begun"])
            #expect(try await queue.cancel([], app: "shop", isLast: true, &audit).total == 0)
            #expect(try await texts() == ["3", "begun"])
            // What is full may not be the end, and the next step finds nothing.
            audit = start
            #expect(try await queue.cancelAll(app: "shop", limit: 3, audit: audit).total == 3)
            audit.add(3, isLast: false)
            #expect(try await queue.cancelAll(app: "shop", limit: 3, audit: audit).total == 0)
            audit.add(0, isLast: true)
            #expect(try await queue.cancelAll(app: "shop", limit: 3, audit: audit).total == 0)
            #expect(try await texts() == ["3", "begun", "3", "begun"])
            _ = try await queue.add([.sample(7)])
            #expect(try await queue.cancelAll(app: "shop", audit: start).total == 1)
            #expect(try await queue.cancelAll(app: "shop", audit: start).total == 0)
            #expect(try await texts() == ["1", "3", "begun", "3", "begun"])
        },
        .init("an audit that is full drops the oldest of the most frequent action of the key that has most") {
            queue, _ in
            func note(_ key: String, _ action: String, _ numbers: ClosedRange<Int>) async throws {
                for number in numbers {
                    // A value that looks like a key is none.
                    let count = number % 2 == 0 ? #""count":1,"# : ""
                    let text =
                        #"{"action":"\#(action)","after":",\"key\":\"B\"",\#(count)"key":"\#(key)","object":"\#(number)"}"#
                    try await queue.note(QueueAuditEntry(app: number % 2 == 0 ? "shop" : "", content: Array(text.utf8)))
                }
            }
            func count(_ key: String, _ action: String) async throws -> String {
                let texts = try await queue.audit(of: nil, before: nil, limit: 100).map {
                    String(decoding: $0.entry.content, as: UTF8.self)
                }.filter { $0.contains(#""action":"\#(action)""#) && $0.contains(#","key":"\#(key)""#) }
                let oldest = texts.last?.split(separator: "\"").last { $0 != "}" } ?? ""
                return "\(texts.count) from \(oldest)"
            }
            try await queue.note(QueueAuditEntry(app: "shop", content: [0xFF, 0x00, 0x7B]))
            try await note("A", "erase", 1...3)
            try await note("B", "cancel", 1...6)
            try await note("A", "rate", 1...10)
            #expect(try await queue.dropKeys(limit: 100) == 0)
            try await note("A", "rate", 11...20)
            // Slice by slice, so that a transaction stays short.
            #expect(try await queue.dropKeys(limit: 4) == 4)
            #expect(try await queue.dropKeys(limit: 4) == 4)
            #expect(try await queue.dropKeys(limit: 4) == 2)
            #expect(try await queue.dropKeys(limit: 4) == 0)
            #expect(try await count("A", "rate") == "10 from 11")
            #expect(try await count("A", "erase") == "3 from 1")
            #expect(try await count("B", "cancel") == "6 from 1")
            #expect(try await queue.audit(of: nil, before: nil, limit: 100).count == 20)
            // Then it is another key's turn.
            try await note("B", "cancel", 7...26)
            #expect(try await queue.dropKeys(limit: 100) == 20)
            #expect(try await count("B", "cancel") == "6 from 21")
            #expect(try await count("A", "rate") == "10 from 11")
        },
    ]
}
