/// The trace of a push, as W3C Trace Context defines its header `traceparent`.
package struct TraceParent: Sendable, Hashable {
    /// The value of the header.
    package let text: String

    /// Reads the value of a header; `nil` if it is not valid. Such a header is ignored.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        // A later version may have more after these 55 bytes, after another hyphen.
        guard bytes.count == 55 || bytes.count > 55 && bytes.count <= 256 && bytes[55] == UInt8(ascii: "-") else {
            return nil
        }
        let isValid = bytes[..<55].enumerated().allSatisfy { index, byte in
            switch index {
            case 2, 35, 52: byte == UInt8(ascii: "-")
            default:
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
        }
        func isZero(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy { $0 == UInt8(ascii: "0") } }
        guard isValid, !text.hasPrefix("ff"), !isZero(3..<35), !isZero(36..<52) else { return nil }
        // Version 00 has nothing more.
        guard bytes.count == 55 || !text.hasPrefix("00") else { return nil }
        self.text = String(decoding: bytes[..<55], as: UTF8.self)
    }

    /// The id of the trace: 32 digits.
    package var traceID: String { String(text.dropFirst(3).prefix(32)) }
}

extension PushDetails {
    /// The trace in the bytes of details, without reading the rest; `nil` if there is none.
    package static func traceparent(in push: [UInt8]) -> TraceParent? {
        // Nearly no push has one, and this runs for each job of a list.
        guard push.count > 60 else { return nil }
        return PushDetails(encoded: push)?.trace
    }
}
