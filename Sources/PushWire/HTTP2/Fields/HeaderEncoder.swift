internal import PushPlatform

/// Encodes the header fields of requests and answers as HPACK (RFC 7541), for one connection.
///
/// nghttp2 has a general encoder: it searches and counts each name and value for each request, and encodes the provider
/// token with the Huffman code every time. That was a quarter of the cost of a notification. This encoder does only
/// what Apple recommends to senders. Path and authorization are literals that are not in the table. Topic, push type
/// and priority are added to the table, and take one byte each after that. Ids and times are literals; their names are
/// in the table after the first time. In an answer, the status is one byte, and its ids are such literals.
///
/// Source: Apple, "Sending notification requests to APNs", on HPACK.
struct HeaderEncoder {
    /// The maximum size of the table, in bytes (RFC 9113, section 6.5.2). More is not used, even if the peer allows it.
    static let tableSize = 4096

    private var table = HeaderTable(limit: tableSize)
    /// The smallest limit since the last request; `nil` without a change. It must be sent to the peer, with the current
    /// limit.
    private var smallestLimit: Int?

    /// Sets the table size that the peer allows.
    mutating func peerAllows(_ bytes: Int) {
        let limit = min(bytes, Self.tableSize)
        guard limit != table.limit else { return }
        table.resize(to: limit)
        smallestLimit = min(smallestLimit ?? limit, limit)
    }

    /// Returns the maximum size of encoded fields, in bytes.
    static func room(for byteCount: Int) -> Int { 2 * byteCount + 32 }

    /// Begins the fields of one request. They must be sent in the order in which they are written.
    mutating func begin(_ output: inout HPACKWriter) {
        guard let smallestLimit else { return }
        if smallestLimit < table.limit { output.write(smallestLimit, prefixBits: 5, flags: 0x20) }
        output.write(table.limit, prefixBits: 5, flags: 0x20)
        self.smallestLimit = nil
    }

    func write(_ method: HTTP2Method, to output: inout HPACKWriter) {
        switch method {
        case .get: output.write(StaticTable.methodGET, prefixBits: 7, flags: 0x80)
        case .post: output.write(StaticTable.methodPOST, prefixBits: 7, flags: 0x80)
        case .delete:
            let value = UnsafeRawBufferPointer(start: Self.delete.utf8Start, count: Self.delete.utf8CodeUnitCount)
            output.write(value, 0, nameIndex: StaticTable.methodGET, prefixBits: 4, flags: 0)
        }
    }

    private static let delete: StaticString = "DELETE"

    /// Writes fields in the format of ``OutgoingFields``.
    mutating func write(_ fields: UnsafeRawBufferPointer, to output: inout HPACKWriter) {
        OutgoingFields.walk(fields) { kind, field, nameLength in
            switch kind {
            case .ready: output.write(field)
            case .indexed: writeIndexed(field, nameLength, to: &output)
            case .literal: writeLiteral(field, nameLength, to: &output)
            }
        }
    }

    /// Writes a field that must not be in any table, also not in an intermediary (RFC 7541, section 7.1.3).
    private func writeSecret(_ field: UnsafeRawBufferPointer, _ nameLength: Int, to output: inout HPACKWriter) {
        output.write(field, nameLength, nameIndex: StaticTable.authorization, prefixBits: 4, flags: 0x10)
    }

    /// Writes a field whose value will be used again.
    private mutating func writeIndexed(_ field: UnsafeRawBufferPointer, _ nameLength: Int, to output: inout HPACKWriter)
    {
        if let index = StaticTable.index(of: field, nameLength) {
            return output.write(index, prefixBits: 7, flags: 0x80)
        }
        let match = table.match(field, nameLength: nameLength)
        if case .field(let index) = match { return output.write(index, prefixBits: 7, flags: 0x80) }
        let name = StaticTable.index(ofName: field, nameLength) ?? match.nameIndex
        if name == StaticTable.authorization { return writeSecret(field, nameLength, to: &output) }
        let isKept = table.insert(field, nameLength: nameLength)
        output.write(field, nameLength, nameIndex: name, prefixBits: isKept ? 6 : 4, flags: isKept ? 0x40 : 0)
    }

    /// Writes a field whose value is only for this request.
    private mutating func writeLiteral(_ field: UnsafeRawBufferPointer, _ nameLength: Int, to output: inout HPACKWriter)
    {
        if let name = StaticTable.index(ofName: field, nameLength) {
            if name == StaticTable.authorization { return writeSecret(field, nameLength, to: &output) }
            return output.write(field, nameLength, nameIndex: name, prefixBits: 4, flags: 0)
        }
        switch table.match(field, nameLength: nameLength) {
        case .field(let index), .name(let index):
            output.write(field, nameLength, nameIndex: index, prefixBits: 4, flags: 0)
        // The first value adds the name to the table.
        case .none: writeIndexed(field, nameLength, to: &output)
        }
    }
}

extension HeaderTable.Match {
    fileprivate var nameIndex: Int? { if case .name(let index) = self { index } else { nil } }
}

/// The entries of HPACK's static table that requests and answers need (RFC 7541, appendix A).
private enum StaticTable {
    /// The indices of the fields of a method. The first is also the index of their name.
    static let (methodGET, methodPOST) = (2, 3)
    /// The index of the name `authorization`.
    static let authorization = 23

    static func index(of field: UnsafeRawBufferPointer, _ nameLength: Int) -> Int? {
        guard field.first == UInt8(ascii: ":") else { return nil }
        return switch field.count {
        case 6: if field.isEqual(":path/") { 4 } else { nil }
        case 10: if field.isEqual(":status200") { 8 } else if field.isEqual(":methodGET") { methodGET } else { nil }
        case 11: if field.isEqual(":methodPOST") { methodPOST } else if field.isEqual(":schemehttp") { 6 } else { nil }
        case 12: if field.isEqual(":schemehttps") { 7 } else { nil }
        default: nil
        }
    }

    static func index(ofName field: UnsafeRawBufferPointer, _ nameLength: Int) -> Int? {
        let name = UnsafeRawBufferPointer(rebasing: field[..<nameLength])
        return switch nameLength {
        case 5: if name.isEqual(":path") { 4 } else { nil }
        case 7:
            if name.isEqual(":method") {
                methodGET
            } else if name.isEqual(":scheme") {
                6
            } else if name.isEqual(":status") {
                8
            } else {
                nil
            }
        case 10: if name.isEqual(":authority") { 1 } else { nil }
        case 12: if name.isEqual("content-type") { 31 } else { nil }
        case 13: if name.isEqual("authorization") { authorization } else { nil }
        default: nil
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func isEqual(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, text.utf8Start, count) == 0
    }
}

/// Writes the parts of HPACK one after the other. The memory must be large enough, see ``HeaderEncoder/room(for:)``.
struct HPACKWriter {
    private let memory: UnsafeMutableRawPointer
    private(set) var count = 0

    init(_ memory: UnsafeMutableRawPointer) {
        self.memory = memory
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        (memory + count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    /// Writes an integer into the free bits of a byte with flags, and into further bytes if needed (section 5.1).
    @inline(__always)
    mutating func write(_ value: Int, prefixBits: Int, flags: UInt8) {
        let maximum = 1 << prefixBits - 1
        if value < maximum {
            put(flags | UInt8(truncatingIfNeeded: value))
        } else {
            writeLong(value, maximum, flags)
        }
    }

    private mutating func writeLong(_ value: Int, _ maximum: Int, _ flags: UInt8) {
        put(flags | UInt8(truncatingIfNeeded: maximum))
        var rest = value - maximum
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a literal field (section 6.2), without the Huffman code.
    mutating func write(
        _ field: UnsafeRawBufferPointer, _ nameLength: Int, nameIndex: Int?, prefixBits: Int, flags: UInt8
    ) {
        write(nameIndex ?? 0, prefixBits: prefixBits, flags: flags)
        if nameIndex == nil {
            write(nameLength, prefixBits: 7, flags: 0)
            write(UnsafeRawBufferPointer(rebasing: field[..<nameLength]))
        }
        write(field.count - nameLength, prefixBits: 7, flags: 0)
        write(UnsafeRawBufferPointer(rebasing: field[nameLength...]))
    }

    private mutating func put(_ byte: UInt8) {
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }
}
