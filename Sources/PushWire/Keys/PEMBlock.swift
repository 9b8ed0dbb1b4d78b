/// The position of a PEM block in a file: `-----BEGIN LABEL-----`, base64 lines, `-----END LABEL-----` (RFC 7468).
struct PEMBlock {
    var label: String
    /// The position of the first dash.
    var start: Int
    /// The position after the dashes that end the first line.
    var afterLine: Int

    enum Condition {
        /// The block has a last line and line breaks.
        case whole
        /// The last line is missing.
        case cutOff
        case lineBreaksLost
    }

    /// Returns all PEM blocks that begin in a file. Other text may be around them.
    static func all(in file: [UInt8]) -> [PEMBlock] {
        var found: [PEMBlock] = []
        var rest = file[...]
        while let start = rest.firstIndex(of: "-----BEGIN ") {
            let labelStart = start + 11
            let label = file[labelStart...].prefix { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "-") }
            rest = file[labelStart...]
            // Errors quote labels, whose words are short. A longer one can be a part of a key.
            let hasLongWord = label.split(separator: UInt8(ascii: " ")).contains { $0.count > 15 }
            guard label.count <= 64, !hasLongWord, file[label.endIndex...].starts(with: "-----".utf8) else { continue }
            let text = String(decoding: label, as: UTF8.self)
            found.append(PEMBlock(label: text, start: start, afterLine: label.endIndex + 5))
        }
        return found
    }

    /// The text from the first dash to the end of the file. It shares the file's memory, so that there is no copy of
    /// the key.
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

    /// Whether the block is encrypted in the older format, RFC 1421.
    func isEncryptedInside(_ file: [UInt8]) -> Bool {
        let body = file[afterLine...]
        let end = body.firstIndex(of: "-----END ") ?? body.endIndex
        return body[..<end].firstIndex(of: "Proc-Type: 4,ENCRYPTED") != nil
    }
}

extension Collection<UInt8> {
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
