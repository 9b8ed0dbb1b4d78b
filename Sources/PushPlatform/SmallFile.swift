/// A small file, read completely into memory: a key, a certificate, a passphrase, a payload, settings. Every file that is not read in
/// pieces is read here, so that all of them have a bound and are read to their end.
package struct SmallFile {
    package var bytes: [UInt8]
    /// What the system says about the file, after links are resolved.
    package let facts: stat

    /// Whether users other than its owner may access it. The mode of a pipe has no meaning.
    package var isOpenToOthers: Bool { facts.st_mode & S_IFMT == S_IFREG && facts.st_mode & 0o077 != 0 }

    /// Why a file cannot be read.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case missing
        case folder
        /// The file has more than this number of bytes. It was not read further.
        case tooLarge(Int)
        /// The system does not let this process read it, with the number of its error.
        case unreadable(Int32)

        /// The end of a sentence that begins with the name of the file.
        package var description: String {
            switch self {
            case .missing: "doesn't exist"
            case .folder: "is a folder, not a file"
            case .tooLarge(let maximum): "is larger than \(maximum) bytes"
            case .unreadable(let number): "can't be read: \(String(cString: strerror(number)))"
            }
        }
    }

    /// Reads a file or a pipe to its end.
    ///
    /// - Parameters:
    ///   - path: The path. A link is followed.
    ///   - maximum: The maximum number of bytes.
    /// - Throws: ``Failure``.
    package init(_ path: String, atMost maximum: Int) throws(Failure) {
        // One byte more shows that the file is too large.
        try self.init(beginningOf: path, maximum + 1)
        guard bytes.count <= maximum else { throw .tooLarge(maximum) }
    }

    /// Reads a file or a pipe to its end, or up to a number of bytes.
    ///
    /// - Parameters:
    ///   - path: The path. A link is followed.
    ///   - count: The number of bytes. The rest is not read.
    /// - Throws: ``Failure``, but not because of the size.
    package init(beginningOf path: String, _ count: Int) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(errno) }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw .unreadable(errno) }
        guard facts.st_mode & S_IFMT != S_IFDIR else { throw .folder }
        self.facts = facts
        bytes = try Self.read(descriptor, count, expected: Int(clamping: facts.st_size))
    }

    /// Reads an open file to its end, or up to a number of bytes.
    ///
    /// - Parameters:
    ///   - descriptor: The file. The caller closes it.
    ///   - count: The number of bytes. The rest is not read.
    ///   - expected: The size, if it is known. Then the bytes, which may be a secret, are in memory only once.
    /// - Returns: The bytes.
    /// - Throws: ``Failure``.
    package static func read(_ descriptor: Int32, _ count: Int, expected: Int = 0) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var failure: Int32 = 0
        var isOver = false
        while !isOver, bytes.count < count, failure == 0 {
            // One byte more than expected, to find the end. A file can have a size of Int.max.
            let wanted = min(count - bytes.count, max(16 << 10, min(expected, count - 1) + 1 - bytes.count))
            let part = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
                while filled < wanted {
                    let number = systemRead(descriptor, buffer.baseAddress.map { $0 + filled }, wanted - filled)
                    if number < 0, errno == EINTR { continue }
                    if number < 0 { failure = errno }
                    isOver = number <= 0
                    if isOver { break }
                    filled += number
                }
            }
            if bytes.isEmpty { bytes = part } else { bytes += part }
        }
        guard failure == 0 else { throw .unreadable(failure) }
        return bytes
    }
}

/// The text of a small file, however an editor saved it.
package enum FileText {
    /// Returns the text as UTF-8 without a byte order mark. UTF-16 is converted, with its mark or without; other bytes stay as they are.
    package static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        if bytes.starts(with: [0xFF, 0xFE]) { return fromUTF16(bytes.dropFirst(2), isBigEndian: false) ?? bytes }
        if bytes.starts(with: [0xFE, 0xFF]) { return fromUTF16(bytes.dropFirst(2), isBigEndian: true) ?? bytes }
        guard let isBigEndian = isUTF16WithoutMark(bytes.prefix(8)) else { return bytes }
        return fromUTF16(bytes[...], isBigEndian: isBigEndian) ?? bytes
    }

    /// Recognizes UTF-16 without a mark: ASCII with a zero byte beside each character.
    ///
    /// - Parameter beginning: The first bytes, at least four.
    /// - Returns: Whether the most significant byte is the first one; `nil` for other text.
    package static func isUTF16WithoutMark(_ beginning: some Collection<UInt8>) -> Bool? {
        let bytes = Array(beginning)
        guard bytes.count >= 4 else { return nil }
        let isText = { (byte: UInt8) in (0x20...0x7E).contains(byte) || [0x09, 0x0A, 0x0D].contains(byte) }
        let (even, odd) = (stride(from: 0, to: bytes.count, by: 2), stride(from: 1, to: bytes.count, by: 2))
        if even.allSatisfy({ isText(bytes[$0]) }), odd.allSatisfy({ bytes[$0] == 0 }) { return false }
        if even.allSatisfy({ bytes[$0] == 0 }), odd.allSatisfy({ isText(bytes[$0]) }) { return true }
        return nil
    }

    /// Returns the first line if it is one word of visible ASCII characters, such as a token; `nil` if it is not. Blanks around it, which come
    /// along with copied text, are dropped.
    package static func word(_ bytes: [UInt8]) -> String? {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let line = firstLine(bytes).drop(while: isBlank)
        let word = line.reversed().drop(while: isBlank).reversed()
        guard !word.isEmpty, word.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: word, as: UTF8.self)
    }

    /// Returns the first line without its line end, for a file with one value such as a passphrase.
    package static func firstLine(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        utf8(bytes).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    }

    private static func fromUTF16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt8]? {
        guard bytes.count % 2 == 0 else { return nil }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).lazy.map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        var text: [UInt8] = []
        // There is no larger array that is left behind: the text may be a secret.
        text.reserveCapacity(bytes.count / 2 * 3)
        let isDamaged = transcode(
            units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true, into: { text.append($0) })
        return isDamaged ? nil : text
    }
}
