internal import PushPlatform

/// The dynamic table of an HPACK encoder (RFC 7541 sections 2.3.2 and 4).
struct HeaderTable {
    private struct Entry {
        /// The offset of its name. The value follows the name.
        var start: Int
        var nameLength: Int
        var valueLength: Int

        var length: Int { nameLength + valueLength }
    }

    /// The result of a search for a field.
    enum Match: Equatable {
        case field(index: Int)
        case name(index: Int)
        case none
    }

    /// The number of entries in the static table. The dynamic table begins after it (RFC 7541, appendix A).
    private static let staticEntries = 61
    /// The size that each entry counts in addition to its bytes (RFC 7541, section 4.1).
    private static let overhead = 32

    /// The entries, the oldest first. The newest entry has the lowest index.
    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    /// The size of all entries, by the rule of HPACK.
    private(set) var size = 0
    /// The maximum of ``size``, in bytes. Beyond it, the oldest entries are removed.
    private(set) var limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Searches for a field, given as its name followed by its value.
    func match(_ field: UnsafeRawBufferPointer, nameLength: Int) -> Match {
        guard let wanted = field.baseAddress else { return .none }
        return bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return .none }
            var name = Match.none
            for (position, entry) in entries.enumerated() where entry.nameLength == nameLength {
                let index = Self.staticEntries + entries.count - position
                if entry.length == field.count, memcmp(start + entry.start, wanted, field.count) == 0 {
                    return .field(index: index)
                }
                if memcmp(start + entry.start, wanted, nameLength) == 0 { name = .name(index: index) }
            }
            return name
        }
    }

    /// Adds a field, and removes the oldest ones if needed.
    ///
    /// - Parameters:
    ///   - field: The name followed by the value.
    ///   - nameLength: The length of the name, in bytes.
    /// - Returns: `false` if the field is larger than the limit of the table; it was not added.
    mutating func insert(_ field: UnsafeRawBufferPointer, nameLength: Int) -> Bool {
        let needed = field.count + Self.overhead
        guard needed <= limit else { return false }
        shrink(to: limit - needed)
        entries.append(Entry(start: bytes.count, nameLength: nameLength, valueLength: field.count - nameLength))
        bytes.append(contentsOf: field)
        size += needed
        return true
    }

    mutating func resize(to limit: Int) {
        self.limit = limit
        shrink(to: limit)
    }

    private mutating func shrink(to maximum: Int) {
        var leaving = 0
        while size > maximum, leaving < entries.count {
            size -= entries[leaving].length + Self.overhead
            leaving += 1
        }
        guard leaving > 0 else { return }
        let begin = leaving < entries.count ? entries[leaving].start : bytes.count
        entries.removeFirst(leaving)
        bytes.removeFirst(begin)
        for position in entries.indices { entries[position].start -= begin }
    }
}
