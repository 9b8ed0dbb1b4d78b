internal import CNGHTTP2

/// The packed header fields of a request or an answer, for the ``HeaderEncoder`` of the connection.
///
/// Each field is stored as: kind (1 byte), length of the name (2), length of the value (2), name, value.
package struct OutgoingFields: Sendable {
    /// How a field is written. The numbers of the first two are those of ``HeaderBlock/Indexing``.
    enum Kind: UInt8 {
        /// The value will be used again: it is added to HPACK's table.
        case indexed
        /// The value is only for this request. It must not replace others in the table.
        case literal
        /// The field is already encoded as HPACK, without using a table. It has a value, but no name.
        case ready
    }

    /// The number of bytes before the name of a field.
    private static let overhead = 5
    private let bytes: [UInt8]

    package static let none = OutgoingFields(expecting: 0) { _ in }

    package var byteCount: Int { bytes.count }

    /// Creates fields in memory of an expected size. If the memory is too small, `write` is called again with more.
    ///
    /// - Parameters:
    ///   - size: The expected size, in bytes.
    ///   - write: Writes the fields. It must write the same fields each time.
    package init(expecting size: Int, _ write: (inout Writer) -> Void) {
        var room = size
        while true {
            var fits = true
            let bytes = [UInt8](unsafeUninitializedCapacity: room) { memory, count in
                var writer = Writer(memory)
                write(&writer)
                fits = writer.fits
                count = fits ? writer.count : 0
            }
            if fits {
                self.bytes = bytes
                return
            }
            room = max(room * 2, 64)
        }
    }

    /// Creates fields from a block, which stores them in the same way.
    package init(_ block: HeaderBlock) {
        bytes = block.bytes
    }

    package init(_ fields: [(name: String, value: String)]) {
        self.init(HeaderBlock(fields))
    }

    /// Creates a field with a secret value that is used again. With HPACK, a secret is never in a table, so its
    /// encoding is always the same. It is encoded once.
    package init(secret name: String, _ value: String) {
        let field = HeaderBlock([(name, value)])
        guard let ready = Self.neverIndexed(field) else {
            self.init(field)
            return
        }
        self.init(expecting: Self.overhead + ready.count) { writer in
            ready.withUnsafeBytes { writer.write(.nothing, .nothing, $0, .ready) }
        }
    }

    private static func neverIndexed(_ field: HeaderBlock) -> [UInt8]? {
        var deflater: OpaquePointer?
        guard nghttp2_hd_deflate_new(&deflater, HeaderEncoder.tableSize) == 0 else { return nil }
        defer { nghttp2_hd_deflate_del(deflater) }
        var ready: [UInt8]?
        field.forEach { name, value in
            var entry = nghttp2_nv(
                name: UnsafeMutablePointer(mutating: name.baseAddress),
                value: UnsafeMutablePointer(mutating: value.baseAddress), namelen: name.count, valuelen: value.count,
                flags: UInt8(truncatingIfNeeded: NGHTTP2_NV_FLAG_NO_INDEX.rawValue))
            let maximum = nghttp2_hd_deflate_bound(deflater, &entry, 1)
            ready = [UInt8](unsafeUninitializedCapacity: maximum) { memory, count in
                count = max(0, nghttp2_hd_deflate_hd(deflater, memory.baseAddress, maximum, &entry, 1))
            }
        }
        return ready?.isEmpty == false ? ready : nil
    }

    /// The memory of the fields. It is valid while this value is kept.
    var memory: UnsafeRawBufferPointer { bytes.withUnsafeBytes { $0 } }

    /// Calls `body` with each field, name and value in one piece.
    @inline(__always)
    static func walk(
        _ bytes: UnsafeRawBufferPointer, _ body: (Kind, _ field: UnsafeRawBufferPointer, _ nameLength: Int) -> Void
    ) {
        var at = 0
        while at + overhead <= bytes.count {
            let nameLength = Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 1, as: UInt16.self)))
            let valueLength = Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 3, as: UInt16.self)))
            let start = at + overhead
            let end = start + nameLength + valueLength
            body(
                Kind(rawValue: bytes[at]) ?? .literal, UnsafeRawBufferPointer(rebasing: bytes[start..<end]), nameLength)
            at = end
        }
    }

    /// The value of the first field with this name; `nil` if there is none.
    package subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The fields as strings, in order, without fields that are already encoded as HPACK.
    package var fields: [(name: String, value: String, indexing: HeaderBlock.Indexing)] {
        var fields: [(name: String, value: String, indexing: HeaderBlock.Indexing)] = []
        bytes.withUnsafeBytes { bytes in
            Self.walk(bytes) { kind, field, nameLength in
                guard kind != .ready else { return }
                let name = String(decoding: field[..<nameLength], as: UTF8.self)
                let value = String(decoding: field[nameLength...], as: UTF8.self)
                fields.append((name, value, kind == .literal ? .avoided : .allowed))
            }
        }
        return fields
    }
}

extension OutgoingFields {
    /// Writes fields one after the other, with one check of the free memory for each.
    package struct Writer {
        private let memory: UnsafeMutableRawPointer?
        private let room: Int
        fileprivate private(set) var count = 0
        fileprivate private(set) var fits = true

        fileprivate init(_ memory: UnsafeMutableBufferPointer<UInt8>) {
            self.memory = UnsafeMutableRawPointer(memory.baseAddress)
            room = memory.count
        }

        /// Writes a field whose value is `prefix` and `value`. A field is omitted if its length does not fit 16 bits:
        /// no peer accepts it.
        @inline(__always)
        package mutating func write(
            _ name: String, prefix: StaticString = "", _ value: String, indexing: HeaderBlock.Indexing = .allowed
        ) {
            withBytes(of: name) { name in
                withBytes(of: value) { value in
                    write(
                        name, UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount), value,
                        indexing == .avoided ? .literal : .indexed)
                }
            }
        }

        package mutating func write(
            _ name: String, bytes value: UnsafeRawBufferPointer, indexing: HeaderBlock.Indexing = .allowed
        ) {
            withBytes(of: name) { name in
                write(name, .nothing, value, indexing == .avoided ? .literal : .indexed)
            }
        }

        fileprivate mutating func write(
            _ name: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
            _ kind: Kind
        ) {
            let valueLength = prefix.count + value.count
            guard let nameLength = UInt16(exactly: name.count), let length = UInt16(exactly: valueLength) else {
                return
            }
            let end = count + OutgoingFields.overhead + name.count + valueLength
            guard end <= room, let memory else { return fits = false }
            let field = memory + count
            field.storeBytes(of: kind.rawValue, as: UInt8.self)
            field.storeBytes(of: nameLength.littleEndian, toByteOffset: 1, as: UInt16.self)
            field.storeBytes(of: length.littleEndian, toByteOffset: 3, as: UInt16.self)
            let valueStart = field + OutgoingFields.overhead + name.count
            Self.copy(name, to: field + OutgoingFields.overhead)
            Self.copy(prefix, to: valueStart)
            Self.copy(value, to: valueStart + prefix.count)
            count = end
        }

        private static func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
            if let start = source.baseAddress { target.copyMemory(from: start, byteCount: source.count) }
        }
    }
}

/// Calls the closure with the UTF-8 of a text. `withUTF8` needs a variable, whose reference would be counted.
@inline(__always)
private func withBytes(of text: String, _ body: (UnsafeRawBufferPointer) -> Void) {
    let isContiguous: Void? = text.utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
    if isContiguous != nil { return }
    // A text of another kind, as Foundation has on macOS.
    var text = text
    text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
}

extension UnsafeRawBufferPointer {
    static var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}
