internal import NIOConcurrencyHelpers
internal import PushWire

/// A cache for large header padding. It can have megabytes and is the same for all answers of a fault.
final class FaultPaddings: Sendable {
    private let last = NIOLockedValueBox<(MockFault.Answer.Padding, HeaderBlock)?>(nil)

    /// Returns the header fields. The last result is cached.
    func fields(_ padding: MockFault.Answer.Padding) -> HeaderBlock {
        if let (known, fields) = last.withLockedValue({ $0 }), known == padding { return fields }
        let fields = Self.make(padding)
        last.withLockedValue { $0 = (padding, fields) }
        return fields
    }

    private static func make(_ padding: MockFault.Answer.Padding) -> HeaderBlock {
        let value = String(repeating: "x", count: padding.bytes)
        var block = HeaderBlock(reservingBytes: padding.count * (padding.bytes + 24))
        for number in 0..<padding.count { block.append("x-padding-\(number)", value, indexing: .avoided) }
        return block
    }
}
