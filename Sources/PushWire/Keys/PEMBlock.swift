/// Where a PEM block stands in a file: `-----BEGIN LABEL-----`, base64 lines, `-----END LABEL-----` (RFC 7468).
struct PEMBlock {
    var label: String
    /// Where the first dash is.
    var start: Int
    /// The first byte after the dashes that end the first line.
    var afterLine: Int

    enum Condition {
        /// It has a last line, and line breaks.
        case whole
        /// Its last line is missing.
        case cutOff
        /// It has become one line.
        case lineBreaksLost
    }

    /// All that begin in a file, with text around them or not.
    static func all(in file: [UInt8]) -> [PEMBlock] {
        var found: [PEMBlock] = []
        var rest = file[...]
        while let start = rest.firstIndex(of: "-----BEGIN ") {
            let labelStart = start + 11
            let label = file[labelStart...].prefix { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "-") }
            rest = file[labelStart...]
            guard label.count <= 64, file[label.endIndex...].starts(with: "-----".utf8) else { continue }
            let text = String(decoding: label, as: UTF8.self)
            found.append(PEMBlock(label: text, start: start, afterLine: label.endIndex + 5))
        }
        return found
    }

    /// From the first dash to the end of the file; shares the file's memory, so that no copy of a key is left.
    func text(in file: [UInt8]) -> ArraySlice<UInt8> {
        file[start...]
    }

    func condition(in file: [UInt8]) -> Condition {
        let body = file[afterLine...]
        guard body.firstIndex(of: "-----END \(label)-----") != nil else { return .cutOff }
        guard let next = body.first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }),
            next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r")
        else { return .lineBreaksLost }
        return .whole
    }

    /// Whether it is encrypted in the older form, RFC 1421.
    func isEncryptedInside(_ file: [UInt8]) -> Bool {
        let body = file[afterLine...]
        let end = body.firstIndex(of: "-----END ") ?? body.endIndex
        return body[..<end].firstIndex(of: "Proc-Type: 4,ENCRYPTED") != nil
    }
}

extension Collection<UInt8> {
    /// Where a text first begins.
    func firstIndex(of text: String) -> Index? {
        let bytes = Array(text.utf8)
        var rest = self[...]
        while let candidate = rest.firstIndex(of: bytes[0]) {
            if self[candidate...].starts(with: bytes) { return candidate }
            rest = self[index(after: candidate)...]
        }
        return nil
    }
}
