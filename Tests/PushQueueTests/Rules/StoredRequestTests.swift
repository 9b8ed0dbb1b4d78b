import PushPlatform
import Testing

@testable import PushQueue

struct StoredRequestTests {
    private let key = QueueIdempotencyKey("order-1", digest: [1])
    private let results = [EnqueueResult.queued(UUID(0, 7)), .omitted]

    private func stored(
        _ state: StoredRequest.State, digest: [UInt8] = [1], answer: [UInt8] = []
    ) -> StoredRequest {
        StoredRequest(digest: digest, state: state.rawValue, fence: 5, answer: answer)
    }

    private func request(fence: Int64? = nil) -> EnqueueRequest {
        var request = EnqueueRequest([], app: "shop", idempotency: key)
        request.reservation = fence.map { QueueReservation(fence: $0) }
        return request
    }

    @Test func `a request to add jobs is done under its own reservation, and otherwise gets the stored answer`() {
        #expect(stored(.reserved).answer(to: request(fence: 5)) == nil)
        #expect(stored(.reserved).answer(to: request(fence: 4)) == .inProgress)
        #expect(stored(.reserved).answer(to: request()) == .inProgress)
        #expect(stored(.unreadable).answer(to: request()) == .conflict)
        let bytes = StoredAnswer.bytes(of: results)
        #expect(stored(.enqueued, answer: bytes).answer(to: request()) == .replayed(results))
        #expect(stored(.enqueued, digest: [2], answer: bytes).answer(to: request()) == .conflict)
    }

    @Test func `a request that wants to reserve a key gets the answer that is stored for it`() {
        #expect(stored(.reserved).answer(to: key) == .inProgress)
        #expect(stored(.unreadable, answer: [9]).answer(to: key) == .conflict)
        #expect(stored(.enqueued, answer: StoredAnswer.bytes(of: results)).answer(to: key) == .enqueued(results))
        #expect(stored(.reserved, digest: [2]).answer(to: key) == .conflict)
        #expect(StoredRequest(digest: [1], state: 9, fence: 0, answer: []).state == .unreadable)
    }
}
