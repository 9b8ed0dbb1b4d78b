import PushWire
import TestSupport

@testable import PushProvider

extension PendingSend {
    /// A send that counts as this number of bytes. Its name has at most 7 characters.
    static func sample(
        _ name: String = "", bytes: Int = 1, deadline: MonotonicTime = .never, expires: MonotonicTime = .never,
        key: CollapseKey? = nil
    ) -> PendingSend {
        PendingSend(
            .init(
                fields: .none, body: Array(repeating: 0, count: bytes), id: RequestID(named: name), begun: .at(0),
                deadline: deadline,
                expires: expires, key: key))
    }
}

extension CollapseKey {
    /// The key of a notification with this collapse id.
    static func sample(
        _ collapseID: String, _ change: (inout PushNotification) -> Void = { _ in }
    ) throws -> CollapseKey? {
        try PushNotification.sample {
            $0.collapseID = collapseID
            change(&$0)
        }.collapseKey(nil)
    }
}

extension PendingSend {
    var name: String { id?.name ?? "" }
}

extension RequestID {
    /// An id that holds a name where its bits are free.
    fileprivate init(named name: String) {
        self.init(random: name.utf8.reduce(0) { $0 << 8 | UInt128($1) })
    }

    fileprivate var name: String {
        let bytes = (0..<7).reversed().map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        return String(decoding: bytes.drop { $0 == 0 }, as: UTF8.self)
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
