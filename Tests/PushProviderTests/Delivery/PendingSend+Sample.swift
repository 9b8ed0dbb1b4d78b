import PushWire

@testable import PushProvider

extension PendingSend {
    /// A send that counts as so many bytes, known by its id.
    static func sample(
        _ id: String = "", bytes: Int = 1, deadline: MonotonicTime = .never, expires: MonotonicTime = .never
    ) -> PendingSend {
        PendingSend(
            .init(
                fields: .none, body: Array(repeating: 0, count: bytes), apnsID: id, begun: .at(0), deadline: deadline,
                expires: expires))
    }
}

extension MonotonicTime {
    /// So many seconds from the beginning.
    static func at(_ seconds: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: seconds * 1_000_000_000)
    }

    /// The next whole millisecond: limits that lie in one are looked at together.
    var endOfTick: MonotonicTime {
        MonotonicTime(nanoseconds: (nanoseconds + 999_999) / 1_000_000 * 1_000_000)
    }
}
