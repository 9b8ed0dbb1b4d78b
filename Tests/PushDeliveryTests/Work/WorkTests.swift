import PushPlatform
import PushQueue
import Testing

@testable import PushDelivery

@Suite(.timeLimit(.minutes(1))) struct WorkTests {
    @Test func `a claim has a representative until its last job has ended`() {
        let jobs = (0..<3).map { QueueJobLease(id: UUID(), app: "a", fence: $0 < 2 ? 1 : 2) }
        var book = LeaseBook()
        book.claimed(jobs)
        #expect(book.count == 3)
        #expect(Set(book.fences) == [1, 2])
        book.ended(jobs[0])
        #expect(book.representative(of: 1) == jobs[1])
        #expect(!book.holds(jobs[0]) && book.holds(jobs[1]))
        book.ended(jobs[1])
        #expect(book.representative(of: 1) == nil)
        #expect(book.leases(of: 1).isEmpty)
        #expect(book.fences == [2])
        book.ended(jobs[2])
        #expect(book.isEmpty)
    }

    @Test func `a worker has one suspect at a time, and other jobs between two suspects`() {
        func job(_ fence: Int64, isSuspect: Bool) -> ClaimedQueueJob {
            let lease = QueueJobLease(id: UUID(), app: "a", fence: fence)
            var job = ClaimedQueueJob(lease: lease, target: .device("ab"), queued: .earliest, due: .earliest)
            job.isSuspect = isSuspect
            return job
        }
        var (book, search) = (LeaseBook(), SuspectSearch())
        #expect(search.isNext(book))
        let first = job(1, isSuspect: true)
        search.claimed([first], looked: true)
        book.claimed([first.lease])
        #expect(!search.isNext(book))
        search.claimed([job(2, isSuspect: false)], looked: false)
        #expect(!search.isNext(book))
        book.ended(first.lease)
        #expect(search.isNext(book))
        let second = job(3, isSuspect: true)
        search.claimed([second], looked: true)
        book.claimed([second.lease])
        search.startedOnce(second.lease)
        #expect(!search.isNext(book))
        search.claimed([], looked: false)
        #expect(search.isNext(book))
        search.claimed([], looked: true)
        search.claimed([job(4, isSuspect: false)], looked: false)
        #expect(!search.isNext(book))
        search.lookAgain()
        #expect(search.isNext(book))
    }

    @Test func `a long detail is cut`() {
        var steps = PendingSteps()
        let lease = QueueJobLease(id: UUID(), app: "a", fence: 1)
        let job = HeldJob(lease: lease, policy: .atMostOnce, attempts: 1, due: .earliest, target: "", start: nil)
        steps.finish(job, QueueJobOutcome(.notSent, reason: "invalid", detail: String(repeating: "é", count: 10_000)))
        #expect(steps.completions.steps[0].outcome.detail?.count == 500)
    }
}
