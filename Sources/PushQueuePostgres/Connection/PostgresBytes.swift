import PushPlatform

/// Values in PostgreSQL's binary format, one behind the other.
struct PostgresBytes {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count)
    }

    /// Forgets the values, but keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Adds a number, highest byte first.
    mutating func add<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ more: [UInt8]) {
        bytes.append(contentsOf: more)
    }

    /// Adds a value without its length. Nothing is added for NULL.
    mutating func add(_ value: PostgresValue) {
        switch value {
        case .null: break
        case .bool(let value): add(value ? 1 : 0 as UInt8)
        case .int2(let value): add(value)
        case .int4(let value): add(value)
        case .int8(let value): add(value)
        case .text(let value): bytes.append(contentsOf: value.utf8)
        case .written(let value): add(Array(value.utf8) + [0])
        case .bytes(let value): add(value)
        case .uuid(let value): add(value)
        case .int2s(let values): addNumbers(values, PostgresType.int2)
        case .int4s(let values): addNumbers(values, PostgresType.int4)
        case .int8s(let values): addNumbers(values, PostgresType.int8)
        case .optionalInt2s(let values): addArray(values, PostgresType.int2) { $0.add($1) }
        case .optionalInt8s(let values): addArray(values, PostgresType.int8) { $0.add($1) }
        case .texts(let values): addArray(values, PostgresType.text) { $0.bytes.append(contentsOf: $1.utf8) }
        case .optionalTexts(let values):
            addArray(values, PostgresType.text) { $0.bytes.append(contentsOf: $1.utf8) }
        case .blobs(let values): addArray(values, PostgresType.bytea) { $0.add($1) }
        case .optionalBlobs(let values): addArray(values, PostgresType.bytea) { $0.add($1) }
        case .uuids(let values): addArray(values, PostgresType.uuid) { $0.add($1) }
        case .optionalUUIDs(let values): addArray(values, PostgresType.uuid) { $0.add($1) }
        }
    }

    /// Adds a value behind its length, as COPY has it. The length of NULL is -1.
    mutating func addField(_ value: PostgresValue) {
        if case .null = value { return add(-1 as Int32) }
        addWithLength { $0.add(value) }
    }

    private mutating func add(_ value: UUID) {
        withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
    }
}

extension PostgresBytes {
    /// Adds an array of numbers. They all have the same size, so that the memory is written directly.
    private mutating func addNumbers<Number: FixedWidthInteger>(_ numbers: [Number], _ type: UInt32) {
        guard addHeader(numbers.count, type, hasNull: false) else { return }
        let (start, width) = (bytes.count, MemoryLayout<Number>.size)
        bytes.append(contentsOf: repeatElement(0, count: numbers.count * (4 + width)))
        bytes.withUnsafeMutableBytes { buffer in
            var offset = start
            for number in numbers {
                buffer.storeBytes(of: Int32(width).bigEndian, toByteOffset: offset, as: Int32.self)
                buffer.storeBytes(of: number.bigEndian, toByteOffset: offset + 4, as: Number.self)
                offset += 4 + width
            }
        }
    }

    private mutating func addArray<Element>(
        _ elements: [Element], _ type: UInt32, _ add: (inout PostgresBytes, Element) -> Void
    ) {
        guard addHeader(elements.count, type, hasNull: false) else { return }
        for element in elements { addWithLength { add(&$0, element) } }
    }

    private mutating func addArray<Element>(
        _ elements: [Element?], _ type: UInt32, _ add: (inout PostgresBytes, Element) -> Void
    ) {
        guard addHeader(elements.count, type, hasNull: elements.contains { $0 == nil }) else { return }
        for element in elements {
            if let element { addWithLength { add(&$0, element) } } else { self.add(-1 as Int32) }
        }
    }

    /// Adds the header before the elements of an array. Returns whether there are elements.
    private mutating func addHeader(_ count: Int, _ type: UInt32, hasNull: Bool) -> Bool {
        add(count == 0 ? 0 : 1 as Int32)  // dimensions
        add(hasNull ? 1 : 0 as Int32)
        add(type)
        guard count > 0 else { return false }
        add(Int32(truncatingIfNeeded: count))
        add(1 as Int32)  // the first index
        return true
    }

    private mutating func addWithLength(_ add: (inout PostgresBytes) -> Void) {
        let start = bytes.count
        self.add(0 as Int32)
        add(&self)
        let length = Int32(truncatingIfNeeded: bytes.count - start - 4)
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: length.bigEndian, toByteOffset: start, as: Int32.self)
        }
    }
}

/// The numbers of PostgreSQL's types.
enum PostgresType {
    static let bytea: UInt32 = 17
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let uuid: UInt32 = 2950
}
