internal import PushPlatform
internal import PushProvider

/// Makes payloads from JSON, and fully reads only the first one of each outline.
///
/// A campaign in which each line has its own payload has few outlines and many payloads. All payloads with the same
/// outline share one ``PayloadShape``, so the lint can reuse its result.
struct OutlinedPayloads {
    private struct Known {
        var outline: [UInt8]
        var reading: PayloadFacts
        var shape: PayloadShape
    }

    /// The maximum number of outlines. Beyond it, all are removed and then found again.
    static let maximum = 256

    private var known: [UInt64: Known] = [:]
    /// Memory for the outline of a payload.
    private var buffer: [UInt8] = []

    var count: Int { known.count }

    /// Makes a payload.
    ///
    /// - Parameter json: JSON in UTF-8, already checked by ``JSONScanner``.
    /// - Returns: The payload, with a shape if it has an outline.
    mutating func payload(_ json: UnsafeBufferPointer<UInt8>) -> PushPayload {
        let bytes = Array(json)
        return payload(bytes, json, reading: nil)
    }

    /// Makes a payload whose ``PayloadFacts`` may be known.
    ///
    /// - Parameters:
    ///   - bytes: JSON in UTF-8 that ``JSONScanner`` accepts.
    ///   - reading: The reading of these bytes; `nil` if unknown.
    /// - Returns: The payload, with a shape if it has an outline.
    mutating func payload(_ bytes: [UInt8], reading: PayloadFacts?) -> PushPayload {
        bytes.withUnsafeBufferPointer { payload(bytes, $0, reading: reading) }
    }

    private mutating func payload(
        _ bytes: [UInt8], _ json: UnsafeBufferPointer<UInt8>, reading: PayloadFacts?
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
            let reading = reading ?? PayloadFacts(of: bytes)
            guard reading.problem == nil else { return PushPayload(encoded: bytes, reading) }
            let shape = PayloadShape(.nothingFound)
            if known.count >= Self.maximum { known.removeAll() }
            known[digest] = Known(outline: outline, reading: reading, shape: shape)
            return PushPayload(encoded: bytes, reading, shape)
        case nil: return PushPayload(encoded: bytes, reading ?? PayloadFacts(of: bytes))
        }
    }

    private enum Found {
        case known(PayloadFacts, PayloadShape)
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
