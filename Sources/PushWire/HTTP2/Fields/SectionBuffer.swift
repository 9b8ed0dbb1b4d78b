internal import PushPlatform

/// The buffer for the header fields of a request that is being received. In HTTP/2, the fields of one stream are not
/// interrupted by other frames, so a session needs only one buffer.
///
/// If a client sends the same fields again, the block of the previous request is used again, without a copy.
struct SectionBuffer: ~Copyable {
    private var memory = UnsafeMutableRawPointer.allocate(byteCount: 1024, alignment: 8)
    private var capacity = 1024
    private var length = 0
    private var fieldCount = 0
    private var last = HeaderBlock()

    deinit {
        memory.deallocate()
    }

    mutating func begin() {
        length = 0
        fieldCount = 0
    }

    /// Appends a field in the format of ``HeaderBlock``. A field is omitted if its lengths do not fit 16 bits.
    mutating func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard name.count <= Int(UInt16.max), value.count <= Int(UInt16.max) else { return }
        let end = length + HeaderBlock.fieldOverhead + name.count + value.count
        if end > capacity { grow(to: end) }
        let field = memory + length
        field.storeBytes(of: HeaderBlock.Indexing.allowed.rawValue, as: UInt8.self)
        field.storeBytes(of: UInt16(name.count).littleEndian, toByteOffset: 1, as: UInt16.self)
        field.storeBytes(of: UInt16(value.count).littleEndian, toByteOffset: 3, as: UInt16.self)
        let nameStart = field + HeaderBlock.fieldOverhead
        if let start = name.baseAddress { nameStart.copyMemory(from: start, byteCount: name.count) }
        if let start = value.baseAddress { (nameStart + name.count).copyMemory(from: start, byteCount: value.count) }
        length = end
        fieldCount += 1
    }

    private mutating func grow(to needed: Int) {
        let larger = max(needed, capacity * 2)
        let room = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        room.copyMemory(from: memory, byteCount: length)
        memory.deallocate()
        (memory, capacity) = (room, larger)
    }

    /// Returns the fields since ``begin()``.
    mutating func block() -> HeaderBlock {
        let isSame = last.bytes.withUnsafeBytes { known in
            guard let start = known.baseAddress, known.count == length else { return false }
            return memcmp(start, memory, length) == 0
        }
        if !isSame {
            last = HeaderBlock(packed: UnsafeRawBufferPointer(start: memory, count: length), count: fieldCount)
        }
        return last
    }
}
