import PushPlatform

/// The results of a request as bytes, for its idempotency key.
package enum StoredAnswer {
    /// The number of bytes of a result: what it is, and an id or the number of a reason.
    private static let size = 17

    package static func bytes(of results: [EnqueueResult]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(results.count * size)
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

    /// The results; `nil` if the bytes are not stored results.
    package static func results(of bytes: [UInt8]) -> [EnqueueResult]? {
        guard bytes.count.isMultiple(of: size) else { return nil }
        var results: [EnqueueResult] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            guard let result = result(bytes[start..<start + size]) else { return nil }
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
