import PushCommandLine
import PushPlatform
import PushQueue
import Testing

@testable import pushserve

@Suite struct JobTextTests {
    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private static let time = QueueTime(milliseconds: 1_795_262_400_007)
    private static let token = String(repeating: "5f3ad1c07b9e4286", count: 4)

    private var waiting: QueueJobRecord {
        QueueJobRecord(id: Self.id, app: "shop", target: .device(Self.token), queued: Self.time, due: Self.time)
    }

    @Test func `a waiting job is an object without what it does not have`() {
        #expect(
            String(decoding: JobText.line(waiting).bytes, as: UTF8.self)
                == """
                {"app":"shop","attempts":0,"deliver_at":"2026-11-21T12:00:00.007Z","id":"01020304-0506-0708-090a-0b0c0d0e0f10",\
                "queue_priority":"normal","queued_at":"2026-11-21T12:00:00.007Z","state":"waiting","token":"\(Self.token)"}
                """)
    }

    @Test func `a finished job has its outcome and its history`() {
        var job = waiting
        job.state = .finished
        job.finished = Self.time
        job.target = .channel("abc")
        job.outcome = QueueJobOutcome(.notSent, reason: "buried", detail: "Why.")
        job.redrivenAs = Self.id
        job.priority = .high
        (job.campaign, job.line) = (Self.id, 7)
        let line = JobText.line(
            job, history: [QueueJobEvent(.queued, at: Self.time), QueueJobEvent(.finished, at: Self.time)])
        let text = String(decoding: line.bytes, as: UTF8.self)
        #expect(text.contains(#""outcome":{"detail":"Why.","kind":"not_sent","reason":"buried"}"#))
        #expect(text.contains(#""history":[{"at":"2026-11-21T12:00:00.007Z","event":"queued"},"#))
        #expect(text.contains(#""channel":"abc""#))
        #expect(text.contains(#""campaign":"01020304-0506-0708-090a-0b0c0d0e0f10""#) && text.contains(#""line":7"#))
        #expect(text.contains(#""queue_priority":"high""#))
        #expect(text.contains(#""redriven_as":"01020304-0506-0708-090a-0b0c0d0e0f10""#))
        #expect(JobText.status(job) == "not sent (buried)")
    }

    @Test func `text for people shows a device token in short`() {
        let text = JobText.lines(waiting, history: []).joined(separator: "\n")
        #expect(!text.contains(Self.token))
        #expect(text.contains("to        5f3ad1c0"))
    }
}
