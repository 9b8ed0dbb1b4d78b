#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The dynamic table of HPACK, as the side that encodes keeps it (RFC 7541 sections 2.3.2 and 4).
struct HeaderTable {
    private struct Entry {
        /// Where its name begins; its value follows.
        var start: Int
        var nameLength: Int
        var valueLength: Int

        var length: Int { nameLength + valueLength }
    }

    /// What a field that is looked for has in common with the table.
    enum Match: Equatable {
        case field(index: Int)
        case name(index: Int)
        case none
    }

    /// RFC 7541, appendix A: the dynamic table begins behind the static one.
    private static let staticEntries = 61
    /// RFC 7541, section 4.1: what each entry counts beyond its bytes.
    private static let overhead = 32

    /// The oldest first; the newest has the lowest index.
    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    /// How much the entries count.
    private(set) var size = 0
    /// How much they may.
    private(set) var limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Looks for a field, whose value lies behind its name.
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

    /// Takes a field in, the oldest leaving for it.
    ///
    /// - Returns: `false` when it is larger than the whole table may be; it was not taken.
    mutating func insert(_ field: UnsafeRawBufferPointer, nameLength: Int) -> Bool {
        let needed = field.count + Self.overhead
        guard needed <= limit else { return false }
        shrink(to: limit - needed)
        entries.append(Entry(start: bytes.count, nameLength: nameLength, valueLength: field.count - nameLength))
        bytes.append(contentsOf: field)
        size += needed
        return true
    }

    /// Changes how much the table may hold.
    mutating func resize(to limit: Int) {
        self.limit = limit
        shrink(to: limit)
    }

    private mutating func shrink(to most: Int) {
        var leaving = 0
        while size > most, leaving < entries.count {
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
