import Testing

@testable import PushQueue

struct GroupMailboxTests {
    @Test func `the first step lets the writer run, and those that come while it works form a group`() {
        var mailbox = GroupMailbox<Int>()
        #expect(mailbox.stepArrived(1) == .run)
        #expect(mailbox.writerIsFree() == [1])
        #expect(mailbox.stepArrived(2) == .nothing)
        #expect(mailbox.stepArrived(3) == .nothing)
        #expect(mailbox.writerIsFree() == [2, 3])
        #expect(mailbox.writerIsFree() == [])
        #expect(mailbox.stepArrived(4) == .run, "the writer sleeps")
    }

    @Test func `a group is bounded`() {
        var mailbox = GroupMailbox<Int>()
        for step in 0...GroupMailbox<Int>.maximum { _ = mailbox.stepArrived(step) }
        #expect(mailbox.writerIsFree().count == GroupMailbox<Int>.maximum)
        #expect(mailbox.writerIsFree() == [GroupMailbox<Int>.maximum])
    }

    @Test func `a step of a worker goes first, and the number of jobs that a group takes in is limited`() {
        var mailbox = GroupMailbox<String>()
        let maximum = GroupMailbox<String>.maximumJobs
        _ = mailbox.stepArrived("half", jobs: maximum / 2)
        _ = mailbox.stepArrived("as many as fit", jobs: maximum)
        _ = mailbox.stepArrived("one more", jobs: 1)
        _ = mailbox.stepArrived("claim", isOfWorker: true)
        #expect(mailbox.count == 4)
        #expect(mailbox.writerIsFree() == ["claim", "half", "as many as fit"])
        _ = mailbox.stepArrived("complete", isOfWorker: true)
        #expect(mailbox.writerIsFree() == ["complete", "one more"])
        #expect(mailbox.writerIsFree() == [])
    }

    @Test func `a closed queue takes no step, and does those that it has`() {
        var mailbox = GroupMailbox<Int>()
        _ = mailbox.stepArrived(1)
        let wasOpen = mailbox.close()
        #expect(wasOpen)
        #expect(mailbox.stepArrived(2) == .refuse)
        #expect(mailbox.writerIsFree() == [1])
        let isStillOpen = mailbox.close()
        #expect(!isStillOpen)
    }
}
