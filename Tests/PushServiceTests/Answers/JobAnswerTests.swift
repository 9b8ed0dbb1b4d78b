import PushPlatform
import Testing

@testable import PushService

struct JobAnswerTests {
    @Test func `an id is shown in lower-case letters`() {
        for _ in 0..<100 {
            let id = UUID()
            #expect(JobAnswer.text(id) == id.uuidString.lowercased())
        }
    }
}
