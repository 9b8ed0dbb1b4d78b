internal import CNGHTTP2

/// Header fields to be sent, in one block of memory that does not move: nghttp2 reads them where they lie.
///
/// In front stands the library's own table of the fields, behind it their names and values. A request carries ten
/// fields, a hundred thousand times a second: to copy them into the library was a thirtieth of the cost of a send.
// Not checked by the compiler: a ManagedBuffer can be written to, but this one is written in `init`, before anybody else has it,
// and only read from then on.
package struct RequestFields: @unchecked Sendable {
    struct Size {
        var count = 0
        var byteCount = 0
    }

    typealias Storage = ManagedBuffer<Size, UInt64>

    private let storage: Storage

    /// How many fields there are.
    package var count: Int { storage.header.count }
    /// The size of names and values, in bytes.
    package var byteCount: Int { storage.header.byteCount }

    /// No fields.
    package static let none = RequestFields(expecting: 0, mostFields: 0) { _ in }

    /// Writes fields into memory of a size that fits most; `write` is called again with more when it did not.
    ///
    /// - Parameters:
    ///   - bytes: The size of names and values that is to be expected.
    ///   - mostFields: How many fields are written at the most; further ones are left out.
    ///   - write: Writes the fields, the same ones each time.
    package init(expecting bytes: Int, mostFields: Int = 8, _ write: (inout Writer) -> Void) {
        let table = mostFields * MemoryLayout<nghttp2_nv>.stride
        var room = bytes
        while true {
            let words = (table + room + MemoryLayout<UInt64>.size - 1) / MemoryLayout<UInt64>.size
            let storage = Storage.create(minimumCapacity: words) { _ in Size() }
            let size = storage.withUnsafeMutablePointerToElements { memory in
                var writer = Writer(UnsafeMutableRawPointer(memory), mostFields: mostFields, room: room)
                write(&writer)
                return writer.fits ? writer.size : nil
            }
            if let size {
                storage.header = size
                self.storage = storage
                return
            }
            room = max(room * 2, 64)
        }
    }

    /// Fields that were put together one by one.
    package init(_ block: HeaderBlock) {
        self.init(expecting: block.byteCount, mostFields: block.count) { writer in
            block.forEachIndexed { name, value, indexing in
                writer.write(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer(value), indexing)
            }
        }
    }

    package init(_ fields: [(name: String, value: String)]) {
        self.init(HeaderBlock(fields))
    }

    /// As nghttp2 wants them; the pointers are valid while a copy of these fields is kept.
    var table: UnsafeBufferPointer<nghttp2_nv> {
        storage.withUnsafeMutablePointers { size, memory in
            UnsafeBufferPointer(
                start: UnsafePointer(UnsafeRawPointer(memory).assumingMemoryBound(to: nghttp2_nv.self)),
                count: size.pointee.count)
        }
    }

    /// The value of the first field of that name, `nil` when there is none.
    package subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The fields as strings, in order.
    package var fields: [(name: String, value: String, indexing: HeaderBlock.Indexing)] {
        table.map { field in
            (
                String(decoding: UnsafeBufferPointer(start: field.name, count: field.namelen), as: UTF8.self),
                String(decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen), as: UTF8.self),
                field.flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) == 0 ? .allowed : .avoided
            )
        }
    }
}

extension RequestFields {
    /// Puts fields one behind the other, each with one check of the room that is left.
    package struct Writer {
        private let table: UnsafeMutablePointer<nghttp2_nv>
        private let mostFields: Int
        private let bytes: UnsafeMutableRawPointer
        private let room: Int
        fileprivate private(set) var size = Size()
        fileprivate private(set) var fits = true

        fileprivate init(_ memory: UnsafeMutableRawPointer, mostFields: Int, room: Int) {
            table = memory.assumingMemoryBound(to: nghttp2_nv.self)
            self.mostFields = mostFields
            bytes = memory + mostFields * MemoryLayout<nghttp2_nv>.stride
            self.room = room
        }

        /// Writes a field whose value is `prefix` and `value`; one that does not fit 16 bits of length is left out, as no
        /// peer would take it.
        package mutating func write(
            _ name: String, prefix: StaticString = "", _ value: String, indexing: HeaderBlock.Indexing = .allowed
        ) {
            Self.withBytes(name) { name in
                Self.withBytes(value) { value in
                    write(
                        name, UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount), value,
                        indexing)
                }
            }
        }

        fileprivate mutating func write(
            _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ indexing: HeaderBlock.Indexing
        ) {
            write(name, UnsafeRawBufferPointer(start: nil, count: 0), value, indexing)
        }

        /// Swift's own strings lie in one piece; only those bridged from elsewhere are copied.
        private static func withBytes(_ text: String, _ body: (UnsafeRawBufferPointer) -> Void) {
            let direct: Void? = text.utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
            if direct == nil { Array(text.utf8).withUnsafeBytes(body) }
        }

        private mutating func write(
            _ name: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
            _ indexing: HeaderBlock.Indexing
        ) {
            let valueLength = prefix.count + value.count
            guard name.count <= Int(UInt16.max), valueLength <= Int(UInt16.max), size.count < mostFields else { return }
            let end = size.byteCount + name.count + valueLength
            guard end <= room else { return fits = false }
            let nameStart = bytes + size.byteCount
            let valueStart = nameStart + name.count
            Self.copy(name, to: nameStart)
            Self.copy(prefix, to: valueStart)
            Self.copy(value, to: valueStart + prefix.count)
            var flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
            if indexing == .avoided { flags |= NGHTTP2_NV_FLAG_NO_INDEX.rawValue }
            (table + size.count).initialize(
                to: nghttp2_nv(
                    name: nameStart.assumingMemoryBound(to: UInt8.self),
                    value: valueStart.assumingMemoryBound(to: UInt8.self),
                    namelen: name.count, valuelen: valueLength, flags: UInt8(truncatingIfNeeded: flags)))
            size.byteCount = end
            size.count += 1
        }

        private static func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
            if let start = source.baseAddress { target.copyMemory(from: start, byteCount: source.count) }
        }
    }
}
