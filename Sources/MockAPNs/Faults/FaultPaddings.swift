internal import NIOConcurrencyHelpers
internal import PushWire

/// The header fields that are nothing but many: megabytes perhaps, and the same for each answer of a fault.
final class FaultPaddings: Sendable {
    private let last = NIOLockedValueBox<(FaultAnswer.Padding, HeaderBlock)?>(nil)

    /// Makes them, unless they are those that were asked for before.
    func fields(_ padding: FaultAnswer.Padding) -> HeaderBlock {
        if let (known, fields) = last.withLockedValue({ $0 }), known == padding { return fields }
        let fields = Self.make(padding)
        last.withLockedValue { $0 = (padding, fields) }
        return fields
    }

    private static func make(_ padding: FaultAnswer.Padding) -> HeaderBlock {
        let value = String(repeating: "x", count: padding.bytes)
        var block = HeaderBlock(reservingBytes: padding.count * (padding.bytes + 24))
        for number in 0..<padding.count { block.append("x-padding-\(number)", value, indexing: .avoided) }
        return block
    }
}
