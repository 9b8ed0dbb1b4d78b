internal import PushPlatform

/// Restores the text of a key or certificate that an editor, a secret store, YAML or a shell has changed: indented, in quotation marks,
/// after `NAME=`, with other line ends or with none, with `\n` as two characters, in UTF-16, or in base64. What is missing or damaged stays
/// so.
package enum RestoredFile {
    /// Returns the file in its original form.
    ///
    /// - Parameter file: The contents.
    /// - Returns: PEM, or DER if that was in base64; `nil` if the file has such a form already, or no known one. It has the same secrets as
    ///   the file: wipe it too.
    package static func bytes(of file: [UInt8]) -> [UInt8]? {
        let text = FileText.utf8(file)
        let blocks = PEMBlock.all(in: text)
        if blocks.isEmpty { return decoded(text) }
        let isUnchanged =
            text.count == file.count
            && blocks.allSatisfy { block in
                // A quotation mark before the first line would hide the block.
                let before = text[..<block.start].last
                return (before == nil || before == UInt8(ascii: "\n")) && isPlain(text[block.afterLine...], block.label)
            }
        // A binary file can have PEM in it.
        if isUnchanged || text.first == 0x30 { return nil }
        var restored: [UInt8] = []
        restored.reserveCapacity(text.count + text.count / 16 + 64)
        for block in blocks { write(block, of: text, to: &restored) }
        return restored
    }

    /// Calls a closure with the file in its original form. A copy is wiped afterwards.
    static func with<Result, Failure: Error>(
        _ file: [UInt8], _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard var restored = bytes(of: file) else { return try body(file) }
        defer { SecretBytes.wipe(&restored) }
        return try body(restored)
    }

    // MARK: PEM

    /// Whether a block has only lines of base64, or of other text without spaces around it, up to its last line.
    private static func isPlain(_ body: ArraySlice<UInt8>, _ label: String) -> Bool {
        var rest = body
        var previous = UInt8(ascii: "\n")
        guard rest.first == UInt8(ascii: "\n") || rest.starts(with: "\r\n".utf8) else { return false }
        rest = rest.dropFirst(rest.first == UInt8(ascii: "\n") ? 1 : 2)
        while let byte = rest.popFirst() {
            let isStart = previous == UInt8(ascii: "\n")
            if isStart, byte == UInt8(ascii: "-") { return rest.starts(with: "----END \(label)-----".utf8) }
            // A line with a colon is one of the lines above the base64 of an encrypted key (RFC 1421).
            if byte == UInt8(ascii: ":") { return true }
            let isLineEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") && rest.first == UInt8(ascii: "\n")
            guard isLineEnd ? !isStart : isBase64(byte) || byte == UInt8(ascii: ",") && !isStart else { return false }
            previous = byte
        }
        // The last line is missing. There is nothing to restore.
        return true
    }

    /// Writes a block with one line for its beginning, one for its end, and lines of 64 characters.
    private static func write(_ block: PEMBlock, of text: [UInt8], to restored: inout [UInt8]) {
        let rest = text[block.afterLine...]
        let end = "-----END \(block.label)-----"
        guard let tail = rest.firstIndex(of: end), let body = Body(rest[..<tail]) else {
            let next = rest.firstIndex(of: "-----BEGIN ") ?? text.endIndex
            restored += text[block.start..<next]
            return
        }
        restored += "-----BEGIN \(block.label)-----\n".utf8
        if !body.headers.isEmpty {
            for header in body.headers { restored += header + [UInt8(ascii: "\n")] }
            restored.append(UInt8(ascii: "\n"))
        }
        write(lines: body.base64, to: &restored)
        restored += "\(end)\n".utf8
    }

    private static func write(lines base64: [UInt8], to restored: inout [UInt8]) {
        for start in stride(from: 0, to: base64.count, by: 64) {
            restored += base64[start..<min(start + 64, base64.count)]
            restored.append(UInt8(ascii: "\n"))
        }
    }

    /// The text between the first and the last line of a block.
    private struct Body {
        /// The lines above the base64 of an encrypted key (RFC 1421).
        var headers: [ArraySlice<UInt8>] = []
        var base64: [UInt8] = []

        /// Removes what does not belong to the text; `nil` if it has something that cannot be explained, so that it is damaged.
        init?(_ text: ArraySlice<UInt8>) {
            base64.reserveCapacity(text.count)
            for line in RestoredFile.lines(text) {
                if line.contains(UInt8(ascii: ":")) {
                    headers.append(line)
                    continue
                }
                for byte in line where !RestoredFile.isNoise(byte) {
                    guard RestoredFile.isBase64(byte) else { return nil }
                    base64.append(byte)
                }
            }
        }
    }

    /// The lines of a text without the spaces and quotation marks around them. A line end can also be written as `\n` or `\r`, and a
    /// backslash before it has no meaning.
    private static func lines(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var (start, at) = (text.startIndex, text.startIndex)
        func end(_ next: Int) {
            var line = text[start..<at].drop(while: isNoise)
            while let last = line.last, isNoise(last) { line.removeLast() }
            if !line.isEmpty { lines.append(line) }
            (start, at) = (next, next)
        }
        while at < text.endIndex {
            switch text[at] {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): end(at + 1)
            case UInt8(ascii: "\\"):
                let next = text[(at + 1)...].first
                let isEscape = next == UInt8(ascii: "n") || next == UInt8(ascii: "r") || next == UInt8(ascii: "t")
                end(at + (isEscape ? 2 : 1))
            default: at += 1
            }
        }
        end(at)
        return lines
    }

    /// A space, a quotation mark, or the comma between the texts of a list.
    private static func isNoise(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ",")].contains(byte)
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        Base64URL.isDigit(byte) || byte == UInt8(ascii: "=")
    }

    // MARK: Base64

    /// Decodes base64 of a whole file: of PEM, or of DER. A key is returned as PEM. `nil` for anything else.
    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        var digits = value(in: text).filter { !isNoise($0) && $0 != UInt8(ascii: "\\") }
        defer { SecretBytes.wipe(&digits) }
        guard digits.count >= shortestBase64, digits.count <= longestBase64, var bytes = Base64URL.decode(bytes: digits)
        else { return nil }
        if !PEMBlock.all(in: FileText.utf8(bytes)).isEmpty {
            guard let restored = self.bytes(of: bytes) else { return bytes }
            SecretBytes.wipe(&bytes)
            return restored
        }
        switch CredentialFileKind(restored: bytes) {
        case .pkcs12, .certificateDER, .signedData, .request: return bytes
        case .privateKeyDER:
            guard let label = label(ofKey: bytes) else { return bytes }
            SecretBytes.wipe(&bytes)
            // The base64 of this key is what a PEM file has between its lines.
            var pem = Array("-----BEGIN \(label)-----\n".utf8)
            write(lines: digits, to: &pem)
            return pem + "-----END \(label)-----\n".utf8
        default: return nil
        }
    }

    /// A shorter text is too short for a key.
    private static let shortestBase64 = 64
    /// The base64 of the largest file that is read as a key or a certificate, in characters. Longer text is not decoded.
    private static let longestBase64 = IdentityFileLimit.maximumBytes / 3 * 4

    private static func label(ofKey der: [UInt8]) -> String? {
        let start = der.dropFirst(der[1] < 0x80 ? 2 : 2 + Int(der[1] & 0x7F))
        // An encrypted key has no version.
        if start.first == 0x30 { return "ENCRYPTED PRIVATE KEY" }
        if start.starts(with: [0x02, 0x01, 0x01, 0x04]) { return "EC PRIVATE KEY" }
        return start.starts(with: [0x02, 0x01, 0x00, 0x30]) ? "PRIVATE KEY" : "RSA PRIVATE KEY"
    }

    /// The text after `NAME=`, `NAME:` or `data:…;base64,` at the beginning; without one of these the text itself.
    private static func value(in text: [UInt8]) -> ArraySlice<UInt8> {
        let start = text.drop { isNoise($0) }
        if start.starts(with: "data:".utf8), let comma = start.prefix(200).firstIndex(of: UInt8(ascii: ",")) {
            return start[(comma + 1)...]
        }
        let name = start.prefix { byte in
            byte == UInt8(ascii: " ") || Base64URL.isDigit(byte)
        }
        guard name.count <= 100, let sign = start[name.endIndex...].first,
            sign == UInt8(ascii: "=") || sign == UInt8(ascii: ":")
        else { return start }
        // In YAML, the text is on the lines after `|` or `>`.
        return start[(name.endIndex + 1)...].drop { isNoise($0) || $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: ">") }
    }
}

/// The size of files with keys and certificates.
package enum IdentityFileLimit {
    /// The maximum size of a file, in bytes. A larger file is refused.
    package static let maximumBytes = 4 << 20
}
