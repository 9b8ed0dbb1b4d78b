import PushPlatform

/// What is stored for an idempotency key, and what it means for a request with this key.
package struct StoredRequest: Equatable {
    package enum State: Int {
        /// A request with the key is being read.
        case reserved = 0
        /// It was answered with the results of its jobs.
        case enqueued = 1
        /// Another program stored it, or it is damaged.
        case unreadable = 2
    }

    package var digest: [UInt8]
    package var state: State
    package var fence: Int64
    package var answer: [UInt8]

    package init(digest: [UInt8], state: Int, fence: Int64, answer: [UInt8]) {
        (self.digest, self.fence, self.answer) = (digest, fence, answer)
        self.state = State(rawValue: state) ?? .unreadable
    }

    /// What a request to add jobs is answered without being done; `nil` if it is to be done, because it has reserved the key.
    package func answer(to request: EnqueueRequest) -> EnqueueAnswer? {
        if digest != request.idempotency?.digest { return .conflict }
        switch state {
        case .reserved: return fence == request.reservation?.fence ? nil : .inProgress
        case .unreadable: return .conflict
        case .enqueued: return StoredAnswer.results(of: answer).map { .replayed($0) } ?? .conflict
        }
    }

    package func answer(to key: QueueIdempotencyKey) -> QueueReservationAnswer {
        if digest != key.digest { return .conflict }
        switch state {
        case .reserved: return .inProgress
        case .unreadable: return .conflict
        case .enqueued: return StoredAnswer.results(of: answer).map { .enqueued($0) } ?? .conflict
        }
    }
}

/// The results of a request as bytes, for its idempotency key.
package enum StoredAnswer {
    /// What the result is, and an id or the number of a reason.
    private static let bytesPerResult = 17

    package static func bytes(of results: [EnqueueResult]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(results.count * bytesPerResult)
        for result in results {
            switch result {
            case .queued(let id): bytes += [0] + id.bytes
            case .duplicate(let id): bytes += [1] + id.bytes
            case .invalid(let refusal): bytes += [2, UInt8(refusal.rawValue)] + [UInt8](repeating: 0, count: 15)
            case .stored(let id): bytes += [4] + id.bytes
            case .omitted: bytes += [3] + [UInt8](repeating: 0, count: 16)
            }
        }
        return bytes
    }

    package static func results(of bytes: [UInt8]) -> [EnqueueResult]? {
        guard bytes.count.isMultiple(of: bytesPerResult) else { return nil }
        var results: [EnqueueResult] = []
        for start in stride(from: 0, to: bytes.count, by: bytesPerResult) {
            guard let result = result(bytes[start..<start + bytesPerResult]) else { return nil }
            results.append(result)
        }
        return results
    }

    private static func result(_ bytes: ArraySlice<UInt8>) -> EnqueueResult? {
        let rest = bytes.dropFirst()
        switch bytes.first {
        case 0: return UUID(bytes: rest).map { .queued($0) }
        case 1: return UUID(bytes: rest).map { .duplicate($0) }
        case 2: return rest.first.flatMap { EnqueueResult.Refusal(rawValue: Int($0)) }.map { .invalid($0) }
        case 3: return .omitted
        case 4: return UUID(bytes: rest).map { .stored($0) }
        default: return nil
        }
    }
}
