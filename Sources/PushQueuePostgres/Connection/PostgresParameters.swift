import PushPlatform
import PushQueue

/// The values of all statements of a pipeline, in one piece of memory.
struct PostgresParameters {
    private var bytes = PostgresBytes()
    /// Where each value begins; -1 for NULL.
    private var starts: [Int] = []
    private var lengths: [Int32] = []
    /// 1 for the binary format, 0 for text.
    private var formats: [Int32] = []

    /// The maximum size of a value of PostgreSQL, and of the data that is sent to the server together, in bytes.
    static let maximumBytes = 1_000_000_000

    /// Takes the values of statements, and forgets those before.
    mutating func fill(_ statements: [PostgresStatement]) throws(QueueError) {
        bytes.removeAll()
        starts.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        formats.removeAll(keepingCapacity: true)
        // So that there is memory to point to, also if all values are empty.
        bytes.add(0 as Int64)
        for statement in statements {
            for value in statement.values {
                let start = bytes.count
                bytes.add(value)
                if case .null = value { starts.append(-1) } else { starts.append(start) }
                if case .written = value { formats.append(0) } else { formats.append(1) }
                guard bytes.count <= Self.maximumBytes else {
                    throw QueueError(
                        .tooLarge,
                        """
                        A step is too large for PostgreSQL: it accepts at most 1 GB at a time. Nothing was stored. \
                        Shorten the values.
                        """)
                }
                lengths.append(Int32(bytes.count - start))
            }
        }
    }

    /// Gives the values of one statement to libpq.
    ///
    /// - Parameters:
    ///   - first: The index of its first value among those of all statements.
    ///   - count: The number of its values.
    ///   - body: Gets the pointers, lengths and formats.
    /// - Returns: What the body returned.
    mutating func withValues<Result>(
        _ first: Int, _ count: Int,
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
    ) -> Result {
        let (starts, lengths, formats) = (starts[first..<(first + count)], lengths, formats)
        var pointers: [UnsafePointer<CChar>?] = []
        pointers.reserveCapacity(count)
        return bytes.bytes.withUnsafeBytes { memory in
            for start in starts {
                pointers.append(
                    start < 0 ? nil : memory.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) })
            }
            return lengths.withUnsafeBufferPointer { lengths in
                formats.withUnsafeBufferPointer { formats in
                    body(pointers, lengths.baseAddress.map { $0 + first }, formats.baseAddress.map { $0 + first })
                }
            }
        }
    }
}
