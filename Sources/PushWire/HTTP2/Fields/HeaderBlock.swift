/// An ordered list of header fields in one allocation, for received fields and for fields that are added one by one.
///
/// Each field is stored as: indexing (1 byte), length of the name (2), length of the value (2), name, value. This is also
/// how ``OutgoingFields`` stores it.
package struct HeaderBlock: Hashable, Sendable {
    /// Whether HPACK may keep the field in its dynamic table.
    package enum Indexing: UInt8, Sendable {
        /// The value will be used again.
        case allowed
        /// The value is only for this request. It must not replace others in the table.
        case avoided
    }

    /// The number of bytes before the name of a field.
    static let fieldOverhead = 5

    var bytes: [UInt8] = []
    package internal(set) var count = 0

    package init(reservingBytes capacity: Int = 0) {
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    package init(_ fields: [(name: String, value: String)]) {
        for field in fields { append(field.name, field.value) }
    }

    init(packed: UnsafeRawBufferPointer, count: Int) {
        bytes = Array(packed)
        self.count = count
    }

    /// The size of the packed fields, in bytes.
    package var byteCount: Int { bytes.count }

    package mutating func append(_ name: String, _ value: String, indexing: Indexing = .allowed) {
        var name = name
        var value = value
        name.withUTF8 { name in value.withUTF8 { value in append(name: name, value: value, indexing: indexing) } }
    }

    package mutating func append(_ name: String, bytes value: [UInt8], indexing: Indexing = .allowed) {
        var name = name
        name.withUTF8 { name in
            value.withUnsafeBufferPointer { value in append(name: name, value: value, indexing: indexing) }
        }
    }

    package mutating func append(contentsOf others: HeaderBlock) {
        bytes.append(contentsOf: others.bytes)
        count += others.count
    }

    /// Appends a field. A field is omitted if the length of its name or value does not fit 16 bits: no peer accepts it.
    mutating func append(
        name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        indexing: Indexing = .allowed
    ) {
        guard appendHeader(name.count, value.count, indexing) else { return }
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
    }

    /// Appends the bytes before the name of a field; returns `false` if its lengths do not fit.
    private mutating func appendHeader(_ nameLength: Int, _ valueLength: Int, _ indexing: Indexing) -> Bool {
        guard nameLength <= Int(UInt16.max), valueLength <= Int(UInt16.max) else { return false }
        let lengths = UInt64(nameLength) << 8 | UInt64(valueLength) << 24
        withUnsafeBytes(of: (lengths | UInt64(indexing.rawValue)).littleEndian) {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<Self.fieldOverhead]))
        }
        count += 1
        return true
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    /// Calls `body` with each field; the pointers are valid only during the call.
    package func forEach(
        _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
    ) {
        bytes.withUnsafeBufferPointer { buffer in
            var at = 0
            while at + Self.fieldOverhead <= buffer.count {
                let nameLength = Int(buffer[at + 1]) | Int(buffer[at + 2]) << 8
                let valueLength = Int(buffer[at + 3]) | Int(buffer[at + 4]) << 8
                let nameStart = at + Self.fieldOverhead
                let valueStart = nameStart + nameLength
                at = valueStart + valueLength
                body(
                    UnsafeBufferPointer(rebasing: buffer[nameStart..<valueStart]),
                    UnsafeBufferPointer(rebasing: buffer[valueStart..<at]))
            }
        }
    }

    /// Whether both use the same memory, like a block that a session returns twice.
    package func isIdentical(to other: HeaderBlock) -> Bool {
        bytes.withUnsafeBufferPointer { own in
            other.bytes.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
        }
    }

    /// The value of the first field with this name; `nil` if there is none.
    package subscript(name: String) -> String? {
        var wanted = name
        return wanted.withUTF8 { wanted in
            var found: String?
            forEach { name, value in
                if found == nil, name.elementsEqual(wanted) { found = String(decoding: value, as: UTF8.self) }
            }
            return found
        }
    }

    /// The fields as strings, in order.
    package var fields: [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        result.reserveCapacity(count)
        forEach { name, value in
            result.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        return result
    }
}
