/// What is stored for an idempotency key, and what it means for a request with this key.
package struct StoredRequest: Equatable {
    package enum State: Int {
        /// A request with the key is being read.
        case reserved = 0
        /// It was answered with the results of its jobs.
        case enqueued = 1
        /// It was answered with bytes of the caller.
        case settled = 2
    }

    package var digest: [UInt8]
    package var state: State
    package var fence: Int64
    package var answer: [UInt8]

    package init(digest: [UInt8], state: Int, fence: Int64, answer: [UInt8]) {
        (self.digest, self.fence, self.answer) = (digest, fence, answer)
        self.state = State(rawValue: state) ?? .settled
    }

    /// What a request to add jobs is answered without being done; `nil` if it is to be done, because it has reserved the key.
    package func answer(to request: EnqueueRequest) -> EnqueueAnswer? {
        if digest != request.idempotency?.digest { return .conflict }
        switch state {
        case .reserved: return fence == request.reservation?.fence ? nil : .inProgress
        case .settled: return .conflict
        case .enqueued: return StoredAnswer.results(of: answer).map { .replayed($0) } ?? .conflict
        }
    }

    /// The answer to a request that wants to reserve the key.
    package func answer(to key: QueueIdempotencyKey) -> QueueReservationAnswer {
        if digest != key.digest { return .conflict }
        switch state {
        case .reserved: return .inProgress
        case .settled: return .settled(answer)
        case .enqueued: return StoredAnswer.results(of: answer).map { .enqueued($0) } ?? .conflict
        }
    }
}
