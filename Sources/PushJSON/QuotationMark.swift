/// A kind of quotation mark that people or editors use.
enum QuotationMark {
    /// The only one that JSON allows.
    case double
    case single
    case curlyDouble
    case curlySingle

    init?(at offset: Int, in bytes: [UInt8]) {
        switch bytes[offset] {
        case UInt8(ascii: "\""): self = .double
        case UInt8(ascii: "'"): self = .single
        case 0xE2 where offset + 2 < bytes.count && bytes[offset + 1] == 0x80:
            switch bytes[offset + 2] {
            case 0x9C...0x9F: self = .curlyDouble
            case 0x98...0x9B: self = .curlySingle
            default: return nil
            }
        default: return nil
        }
    }

    /// The length in bytes.
    var width: Int {
        switch self {
        case .double, .single: 1
        case .curlyDouble, .curlySingle: 3
        }
    }

    func mayEnd(with other: QuotationMark) -> Bool {
        switch self {
        case .double: other == .double
        case .single: other == .single
        case .curlyDouble: other == .curlyDouble || other == .double
        case .curlySingle: other == .curlySingle || other == .single
        }
    }

    func mistake(_ range: Range<Int>, _ edits: [JSONEdit]) -> JSONMistake {
        let isCurly = self == .curlyDouble || self == .curlySingle
        return JSONMistake(
            kind: isCurly ? .curlyQuotes : .singleQuotes, range: range,
            problem: "The string is in \(isCurly ? "curly" : "single") quotation marks",
            advice: "Write \" on both sides\(isCurly ? ", and turn off smart quotes in the editor" : "").",
            edits: edits)
    }
}
