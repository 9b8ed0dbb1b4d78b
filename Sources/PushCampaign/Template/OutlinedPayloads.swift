internal import PushProvider

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Makes payloads of JSON, and reads only the first one of each outline.
///
/// A campaign whose lines have payloads of their own has few outlines and many payloads. All payloads of an outline share one
/// ``PayloadShape``, so that the lint can tell them by it.
struct OutlinedPayloads {
    private struct Known {
        var outline: [UInt8]
        var reading: PayloadReading
        var shape: PayloadShape
    }

    /// How many outlines are kept. When there are more, all are forgotten and found again.
    static let most = 256

    /// By the digest of the outline.
    private var known: [UInt64: Known] = [:]
    /// Memory for the outline of a payload.
    private var buffer: [UInt8] = []

    /// How many outlines are kept now.
    var count: Int { known.count }

    /// The payload of some bytes.
    ///
    /// - Parameter json: JSON in UTF-8, which ``JSONScanner`` has stepped over.
    /// - Returns: The payload, with a shape when it has an outline.
    mutating func payload(_ json: UnsafeBufferPointer<UInt8>) -> PushPayload {
        let bytes = Array(json)
        return payload(bytes, json, reading: nil)
    }

    /// The payload of some bytes, of which ``PayloadReading`` may be known.
    ///
    /// - Parameters:
    ///   - bytes: JSON in UTF-8, which ``JSONScanner`` has stepped over or would step over.
    ///   - reading: What reading them would tell; `nil` where that is not known.
    /// - Returns: The payload, with a shape when it has an outline.
    mutating func payload(_ bytes: [UInt8], reading: PayloadReading?) -> PushPayload {
        bytes.withUnsafeBufferPointer { payload(bytes, $0, reading: reading) }
    }

    private mutating func payload(
        _ bytes: [UInt8], _ json: UnsafeBufferPointer<UInt8>, reading: PayloadReading?
    ) -> PushPayload {
        if buffer.isEmpty { buffer = Array(repeating: 0, count: PayloadOutline.room) }
        let found = buffer.withUnsafeMutableBufferPointer { [known] memory -> Found? in
            guard let length = PayloadOutline.write(json, to: memory) else { return nil }
            let outline = UnsafeRawBufferPointer(start: memory.baseAddress, count: length)
            var digest = QuickDigest()
            digest.add(outline)
            guard let known = known[digest.value], Self.areSame(known.outline, outline) else {
                return .new(Array(outline), digest.value)
            }
            return .known(known.reading, known.shape)
        }
        switch found {
        case .known(let reading, let shape): return PushPayload(encoded: bytes, reading, shape)
        case .new(let outline, let digest):
            let reading = reading ?? PayloadReading(of: bytes)
            guard reading.obstacle == nil else { return PushPayload(encoded: bytes, reading) }
            let shape = PayloadShape(.nothingFound)
            if known.count >= Self.most { known.removeAll() }
            known[digest] = Known(outline: outline, reading: reading, shape: shape)
            return PushPayload(encoded: bytes, reading, shape)
        case nil: return PushPayload(encoded: bytes, reading ?? PayloadReading(of: bytes))
        }
    }

    private enum Found {
        case known(PayloadReading, PayloadShape)
        case new([UInt8], UInt64)
    }

    private static func areSame(_ known: [UInt8], _ outline: UnsafeRawBufferPointer) -> Bool {
        known.withUnsafeBytes { known in
            guard known.count == outline.count, let left = known.baseAddress, let right = outline.baseAddress else {
                return false
            }
            return memcmp(left, right, known.count) == 0
        }
    }
}
