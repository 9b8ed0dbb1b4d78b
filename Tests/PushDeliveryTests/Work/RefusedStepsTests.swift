import PushPlatform
import PushProvider
import PushQueue
import Testing

@testable import PushDelivery

/// An outcome that the queue refuses never stops the others.
struct RefusedStepsTests {
    private let time = MonotonicTime(nanoseconds: 1_000_000_000)

    /// Pending outcomes, each with its number as a detail.
    private static func pending(_ count: Int) -> PendingSteps {
        var steps = PendingSteps()
        for number in 0..<count {
            let lease = QueueJobLease(id: UUID(), app: "a", fence: Int64(number))
            let job = HeldJob(lease: lease, policy: .atMostOnce, attempts: 1, due: .earliest, target: "", start: nil)
            steps.finish(job, QueueJobOutcome(.notSent, reason: "invalid", detail: "\(number)"))
            steps.retry(job, after: .zero, reason: "\(number)")
        }
        return steps
    }

    /// What a queue has stored that refuses some steps.
    private struct Stored {
        var fences: [Int64] = []
        var bare: [Int64] = []
        var tries = 0
        var faults = 0
        /// The steps that were kept, in their order.
        var kept: [Int64] = []
    }

    /// Gives outcomes to a queue until none is left, or no other one can be stored now.
    private func store(
        _ steps: inout PendingSteps, _ code: QueueError.Code = .defect, queueWorks: Bool = true, keeps: Bool = true,
        refuses: (PendingSteps.Completion) -> Bool
    ) -> Stored {
        var stored = Stored()
        let error = QueueError(code, "refused")
        while !steps.completions.steps.isEmpty, stored.faults == 0 {
            stored.tries += 1
            let batch = steps.completions.batch
            guard batch.contains(where: refuses) else {
                stored.fences += batch.map(\.job.lease.fence)
                stored.bare += batch.filter { $0.outcome.detail == nil }.map(\.job.lease.fence)
                steps.completions.stored(batch.count)
                continue
            }
            switch steps.completions.refused(batch.count, error) {
            case .ofAll: stored.faults += 1
            case .ofSome: break
            case .ofOne where !queueWorks: stored.faults += 1
            case .ofOne:
                switch steps.completions.setAside(error, at: time, keeps: keeps) {
                case .bare: break
                case .kept(let job): stored.kept.append(job.lease.fence)
                case .last: stored.faults += 1
                }
            }
        }
        return stored
    }

    @Test(arguments: [0, 137, 999])
    func `one refused outcome among a thousand is stored without its texts, and the others with theirs`(poison: Int) {
        var steps = Self.pending(1000)
        let stored = store(&steps) { $0.outcome.detail == "\(poison)" }
        #expect(stored.fences.sorted() == Array(Int64(0)..<1000))
        #expect(stored.bare == [Int64(poison)] && stored.faults == 0)
        #expect(stored.tries < 40)
    }

    @Test func `an outcome that is refused without its texts, too, is kept for later, and tried again`() {
        var steps = Self.pending(50)
        let stored = store(&steps) { $0.job.lease.fence == 7 }
        #expect(stored.fences.count == 49 && stored.faults == 0)
        #expect(steps.completions.kept.map(\.job.lease.fence) == [7] && steps.count == 1 + 50)
        #expect(steps.nextReadmission == time.advanced(by: .seconds(30)))
        steps.readmit(at: time.advanced(by: .seconds(29)), all: false)
        #expect(steps.completions.steps.isEmpty)
        steps.readmit(at: time.advanced(by: .seconds(30)), all: false)
        #expect(steps.completions.steps.map(\.job.lease.fence) == [7] && steps.nextReadmission == nil)
    }

    @Test(arguments: [QueueError.Code.defect, .refused, .damaged, .unusable, .inputOutput])
    func `a queue that refuses everything counts as failing, and no outcome is changed`(code: QueueError.Code) {
        var steps = Self.pending(1000)
        let stored = store(&steps, code, queueWorks: false) { _ in true }
        #expect(stored.fences.isEmpty && stored.faults == 1 && stored.tries < 20 && stored.kept.isEmpty)
        #expect(steps.completions.steps.map(\.outcome.detail) == (0..<1000).map { "\($0)" })
        let later = store(&steps, code) { _ in false }
        #expect(later.fences == Array(Int64(0)..<1000) && later.bare.isEmpty)
    }

    @Test(arguments: [QueueError.Code.defect, .refused, .damaged, .unusable, .inputOutput])
    func `outcomes that a working queue refuses never stop the others, however many and however often`(
        code: QueueError.Code
    ) {
        var steps = Self.pending(50)
        let poison = Set<Int64>(10..<20)
        let stored = store(&steps, code) { poison.contains($0.job.lease.fence) }
        #expect(stored.fences.count == 40 && stored.faults == 0)
        #expect(stored.kept == poison.sorted())
        for _ in 1...20 {
            steps.readmit(at: time, all: true)
            let again = store(&steps, code) { poison.contains($0.job.lease.fence) }
            #expect(again.faults == 0 && again.kept == poison.sorted())
        }
        // Only a text can be too long or of the wrong kind.
        #expect(steps.completions.kept.allSatisfy { ($0.outcome.detail == nil) == (code == .defect) })
    }

    @Test func `a queue that works and refuses each outcome counts as failing after a while, until one is stored`() {
        var steps = Self.pending(50)
        let stored = store(&steps, .damaged) { _ in true }
        #expect(stored.kept == Array(Int64(0)..<20) && stored.faults == 1)
        // The next one is tried, and not the same again.
        #expect(steps.completions.steps.map(\.job.lease.fence) == Array(Int64(21)..<50) + [20])
        let next = store(&steps, .damaged) { _ in true }
        #expect(next.kept.isEmpty && next.faults == 1)
        #expect(steps.completions.steps.last?.job.lease.fence == 21)
        let later = store(&steps, .damaged) { $0.job.lease.fence == 30 }
        #expect(later.fences.count == 29 && later.kept == [30] && later.faults == 0)
    }

    @Test func `a step that is kept gives its collapse key away, once`() {
        var steps = PendingSteps()
        let lease = QueueJobLease(id: UUID(), app: "a", fence: 1)
        var job = HeldJob(lease: lease, policy: .atMostOnce, attempts: 1, due: .earliest, target: "", start: nil)
        job.replacement = QueueReplacement(key: UUID(), place: UUID(), longest: .seconds(1))
        steps.finish(job, QueueJobOutcome(.accepted))
        let result = steps.completions.setAside(QueueError(.damaged, "refused"), at: time, keeps: true)
        guard case .kept(let given) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(given.replacement == job.replacement)
        #expect(steps.completions.kept.map(\.job.replacement) == [nil])
    }

    @Test(arguments: [QueueError.Code.unreachable, .busy, .conflict, .diskFull, .closed, .notDurable])
    func `an outage keeps the order, and the texts`(code: QueueError.Code) {
        var steps = Self.pending(10)
        let refusal = steps.completions.refused(10, QueueError(code, "gone"))
        #expect(refusal == .ofAll)
        #expect(steps.completions.steps.map(\.outcome.detail) == (0..<10).map { "\($0)" })
        #expect(steps.completions.limit == PendingSteps.maximum)
    }

    @Test func `when the engine stops, nothing is kept for later`() {
        var steps = Self.pending(3)
        let stored = store(&steps, keeps: false) { $0.job.lease.fence == 1 }
        #expect(stored.fences == [0] && stored.faults == 1)
        #expect(steps.completions.steps.map(\.job.lease.fence) == [2, 1] && steps.nextReadmission == nil)
    }

    @Test func `a refused retry is stored with another reason, and then kept`() {
        var steps = Self.pending(3)
        let error = QueueError(.defect, "refused")
        var refusals = [steps.retries.refused(3, error)]
        refusals.append(steps.retries.refused(steps.retries.limit, error))
        #expect(refusals == [.ofSome, .ofOne])
        _ = steps.retries.setAside(error, at: time, keeps: true)
        #expect(steps.retries.steps.map(\.step.reason) == ["retry", "1", "2"])
        _ = steps.retries.setAside(error, at: time, keeps: true)
        #expect(steps.retries.steps.map(\.step.reason) == ["1", "2"] && steps.retries.kept.count == 1)
    }

    @Test func `a step that fails for more than five seconds makes the worker unready, and is logged every ten`() {
        var failures = QueueFailures()
        func after(_ seconds: Int) -> MonotonicTime { time.advanced(by: .seconds(seconds)) }
        var logs = [failures.failed(.storing, "one", at: after(0)), failures.failed(.storing, "two", at: after(5))]
        // A step that has failed once, and is not due again for long, does not count.
        #expect(failures.lasting == nil)
        logs.append(failures.failed(.storing, "three", at: after(6)))
        #expect(failures.lasting?.step == .storing && failures.lasting?.reason == "three")
        for seconds in [10, 19] { logs.append(failures.failed(.storing, "four", at: after(seconds))) }
        let worked = failures.worked(.storing)
        #expect(worked && !failures.isFailing(.storing) && failures.lasting == nil)
        logs.append(failures.failed(.storing, "five", at: after(20)))
        #expect(logs == [true, false, false, true, false, true])
    }

    @Test func `a step that fails because the queue is sealed is logged once for each reason`() {
        var failures = QueueFailures()
        let logs = [("sealed", 0), ("sealed", 11), ("sealed", 3600), ("sealed for good", 3601)].map { reason, seconds in
            failures.failed(.claiming, reason, at: time.advanced(by: .seconds(seconds)), repeats: false)
        }
        #expect(logs == [true, false, false, true])
        #expect(failures.lasting?.reason == "sealed for good")
    }
}
