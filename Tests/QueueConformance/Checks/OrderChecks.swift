import PushPlatform
import PushQueue
import Testing

/// Pushes that replace each other on a device.
extension QueueConformance {
    static let order: [QueueConformance] = [
        .init("jobs of one request and priority are claimed in its order, whatever their expiry") { queue, clock in
            let due = clock.now + .seconds(5)
            let ids = try await queue.add(
                (0..<40).map { number in
                    NewQueueJob.sample(number % 3).with {
                        // Every other one expires, the later ones sooner. Some are due at the same later time.
                        if number.isMultiple(of: 2) { $0.expiry = .after(.seconds(3600 - number)) }
                        if number.isMultiple(of: 5) { $0.due = .at(due) }
                    }
                })
            clock.advance(by: .seconds(5))
            #expect(ids.filter { !ids.isDueLater($0) } == ids.filter { !ids.isDueLater($0) }.sorted())
            let now = ids.filter { !ids.isDueLater($0) } + ids.filter { ids.isDueLater($0) }
            #expect(try await queue.list(.state(.waiting)) == now)
            #expect(try await queue.claim(40).map(\.id) == now)
        },
        .init("a push that was put back is not started after a newer one that it would replace") { queue, clock in
            let (old, new) = try await queue.twoOfOneKey()
            #expect(try await queue.start([old]) == [.done])
            #expect(
                try await queue.retry([QueueJobRetry(old.lease, due: .after(.seconds(1)), reason: "503")]) == [.done])
            #expect(try await queue.start([new]) == [.done])
            #expect(try await queue.complete([QueueJobCompletion(new.lease, .accepted)]) == [.done])
            clock.advance(by: .seconds(1))
            let again = try #require(try await queue.claim().first)
            #expect(again.id == old.lease.id)
            let late = QueueJobStart(again.lease, replacement: old.replacement)
            #expect(try await queue.start([late]) == [.superseded])
            #expect(try await queue.job(again.id)?.state == .leased)
            let superseded = QueueJobOutcome(.notSent, reason: QueueJobOutcome.superseded)
            #expect(try await queue.complete(again, superseded) == .done)
            #expect(try await queue.job(again.id)?.outcome == superseded)
        },
        .init("a push that may have arrived stays unknown when it is superseded") { queue, clock in
            let (old, new) = try await queue.twoOfOneKey { $0.policy = .atLeastOnce }
            _ = try await queue.start([old])
            var retry = QueueJobRetry(old.lease, due: .after(.seconds(1)), reason: "deadline")
            retry.mayHaveArrived = true
            #expect(try await queue.retry([retry]) == [.done])
            _ = try await queue.start([new])
            _ = try await queue.complete([QueueJobCompletion(new.lease, .accepted)])
            clock.advance(by: .seconds(1))
            let again = try #require(try await queue.claim().first)
            #expect(try await queue.start([QueueJobStart(again.lease, replacement: old.replacement)]) == [.superseded])
            _ = try await queue.complete(again, QueueJobOutcome(.notSent, reason: QueueJobOutcome.superseded))
            #expect(try await queue.job(again.id)?.outcome == QueueJobOutcome(.unknown, reason: "superseded"))
        },
        .init("two pushes that replace each other are never on the way at once, the older one goes first") {
            queue, _ in
            let (old, new) = try await queue.twoOfOneKey()
            // In one step, in any order.
            #expect(try await queue.start([new, old]) == [.busy, .done])
            #expect(try await queue.start([new]) == [.busy])
            #expect(try await queue.start([old]) == [.done], "a repeated step")
            #expect(try await queue.job(new.lease.id)?.attempts == 0)
            #expect(try await queue.complete([QueueJobCompletion(old.lease, .accepted)]) == [.done])
            #expect(try await queue.start([new]) == [.done])
        },
        .init("a push whose worker is lost keeps others back for its time limit, and does not come back over them") {
            queue, clock in
            let (old, new) = try await queue.twoOfOneKey { $0.policy = .atLeastOnce }
            #expect(try await queue.start([old]) == [.done])
            clock.advance(by: .seconds(19))
            #expect(try await queue.start([new]) == [.busy])
            clock.advance(by: .seconds(1))
            #expect(try await queue.start([new]) == [.done])
            // The lease of both ends.
            _ = try await queue.extend([new.lease], by: .zero)
            #expect(try await queue.recoverLeases().waiting == 2)
            let claimed = try await queue.claim()
            let starts = claimed.map { job in
                QueueJobStart(job.lease, replacement: job.id == old.lease.id ? old.replacement : new.replacement)
            }
            #expect(claimed.map(\.id) == [old.lease.id, new.lease.id])
            #expect(try await queue.start([starts[0]]) == [.superseded])
            #expect(try await queue.start([starts[1]]) == [.done])
        },
        .init("pushes with other keys, of other apps and without a key pass") { queue, _ in
            let (old, new) = try await queue.twoOfOneKey()
            var other = new
            other.replacement?.key = UUID(7, 9)
            #expect(try await queue.start([old, other]) == [.done, .done])
            _ = try await queue.add([.sample(), .sample()], app: "bank")
            let bank = try await queue.claim(app: "bank")
            #expect(try await queue.start([QueueJobStart(bank[0].lease, replacement: old.replacement)]) == [.done])
            #expect(try await queue.start([bank[1].lease]) == [.done])
        },
        .init("a lost lease, a finished job and an unknown one take no key") { queue, _ in
            let (old, new) = try await queue.twoOfOneKey()
            let lost = QueueJobLease(id: new.lease.id, app: "shop", fence: 99_999)
            let none = QueueJobLease(id: UUID(), app: "shop", fence: new.lease.fence)
            _ = try await queue.cancel([new.lease.id], app: "shop")
            let starts = [lost, none, new.lease].map { QueueJobStart($0, replacement: new.replacement) }
            #expect(try await queue.start(starts) == [.finished, .unknownJob, .finished])
            #expect(try await queue.start([old]) == [.done])
        },
        .init("a dead letter that is sent again keeps its place among the pushes that replace each other") {
            queue, clock in
            let (old, new) = try await queue.twoOfOneKey()
            _ = try await queue.bury([old.lease.id], app: "shop", detail: "x")
            _ = try await queue.start([new])
            _ = try await queue.complete([QueueJobCompletion(new.lease, .accepted)])
            clock.advance(by: .seconds(1))
            _ = try await queue.redrive([old.lease.id], app: "shop", expiry: .never)
            let redriven = try #require(try await queue.claim().first)
            #expect(redriven.id != old.lease.id)
            let first = old.lease.id.uuidString.lowercased()
            #expect(String(decoding: redriven.push, as: UTF8.self).hasSuffix(#","after":"\#(first)"}"#))
            let start = QueueJobStart(redriven.lease, replacement: old.replacement)
            #expect(try await queue.start([start]) == [.superseded])
        },
        .init("a redriven push that is on the way keeps others back, although its place is another job's") {
            queue, _ in
            let (old, new) = try await queue.twoOfOneKey()
            _ = try await queue.bury([old.lease.id], app: "shop", detail: "x")
            _ = try await queue.redrive([old.lease.id], app: "shop", expiry: .never)
            let redriven = try #require(try await queue.claim().first)
            #expect(try await queue.start([QueueJobStart(redriven.lease, replacement: old.replacement)]) == [.done])
            #expect(try await queue.start([new]) == [.busy])
        },
        .init("the newest push of a key is forgotten after the time of keys, and with its app") { queue, clock in
            let (old, new) = try await queue.twoOfOneKey()
            _ = try await queue.start([new])
            _ = try await queue.complete([QueueJobCompletion(new.lease, .accepted)])
            clock.advance(by: .seconds(24 * 3600 - 1))
            #expect(try await queue.dropKeys(limit: 100) == 0)
            _ = try await queue.extend([old.lease], by: .seconds(36000))
            #expect(try await queue.start([old]) == [.superseded])
            clock.advance(by: .seconds(3601))
            #expect(try await queue.dropKeys(limit: 100) == 1)
            #expect(try await queue.start([old]) == [.done])
        },
        .init("after the clock was set back, a new push is not taken for an older one") { queue, clock in
            let (old, new) = try await queue.twoOfOneKey()
            #expect(try await queue.start([new]) == [.done])
            _ = try await queue.complete([QueueJobCompletion(new.lease, .accepted)])
            clock.jump(by: .seconds(-1000))
            #expect(try await queue.start([old]) == [.superseded])
            _ = try await queue.add([.sample(1)])
            let newest = try #require(try await queue.claim().first)
            var start = QueueJobStart(newest.lease, replacement: new.replacement)
            start.replacement?.place = newest.id
            #expect(newest.id < new.lease.id)
            #expect(try await queue.start([start]) == [.done])
        },
        .init("a cursor of waiting jobs of an older version still continues its list") { queue, clock in
            let ids = try await queue.add((0..<4).map { .sample($0) })
            var query = QueueJobQuery(app: "shop", filter: .state(.waiting), limit: 2)
            let first = try await queue.jobs(query)
            var numbers = try #require(first.next).split(separator: ".").map(String.init)
            // It had the expiry between the due time and the id.
            numbers.insert("140737488355327", at: 2)
            query.after = numbers.joined(separator: ".")
            #expect(try await queue.jobs(query).items.map(\.id) == Array(ids[2...]))
        },
    ]
}

extension [UUID] {
    /// Whether a job is one of those that are due later: each fifth.
    fileprivate func isDueLater(_ id: UUID) -> Bool { firstIndex(of: id).map { $0.isMultiple(of: 5) } ?? false }
}

extension QueueBackend {
    /// Claims two jobs, the older one first, whose pushes replace each other.
    fileprivate func twoOfOneKey(
        _ change: (inout NewQueueJob) -> Void = { _ in }
    ) async throws -> (QueueJobStart, QueueJobStart) {
        let jobs = [NewQueueJob.sample(1).with(change), NewQueueJob.sample(1).with(change)]
        _ = try await add(jobs)
        let claimed = try await claim(lease: .seconds(100_000))
        guard claimed.count == 2 else { throw Unexpected() }
        let starts = claimed.map { job in
            QueueJobStart(
                job.lease, replacement: QueueReplacement(key: UUID(1, 2), place: job.id, longest: .seconds(20)))
        }
        return (starts[0], starts[1])
    }
}
