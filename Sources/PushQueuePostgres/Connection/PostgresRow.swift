internal import CPQ
import PushPlatform
import PushQueue

/// A row of a result. NULL reads as 0, "" or an empty array.
struct PostgresRow: QueueRow {
    private let result: PostgresResult
    private let index: Int32

    init(_ result: PostgresResult, _ index: Int) {
        (self.result, self.index) = (result, Int32(truncatingIfNeeded: index))
    }

    /// A number of the type int2, int4, int8 or bool. Cast others: `sum` of int8, for example, is numeric.
    func integer(_ column: Int) -> Int64 {
        let value = raw(column)
        switch value.count {
        case 8: return Int64(bigEndian: value.loadUnaligned(as: Int64.self))
        case 4: return Int64(Int32(bigEndian: value.loadUnaligned(as: Int32.self)))
        case 2: return Int64(Int16(bigEndian: value.loadUnaligned(as: Int16.self)))
        case 1: return Int64(value[0])
        default:
            assert(value.isEmpty, "The column \(column) isn't an integer. Cast it in the statement.")
            return 0
        }
    }

    func int4(_ column: Int) -> Int32 { Int32(truncatingIfNeeded: integer(column)) }

    func text(_ column: Int) -> String { String(decoding: raw(column), as: UTF8.self) }

    func bytes(_ column: Int) -> [UInt8] { Array(raw(column)) }

    func uuid(_ column: Int) -> UUID {
        let value = raw(column)
        guard value.count == MemoryLayout<uuid_t>.size else { return Self.noUUID }
        return UUID(uuid: value.loadUnaligned(as: uuid_t.self))
    }

    func isNull(_ column: Int) -> Bool { PQgetisnull(result.handle, index, Int32(column)) == 1 }

    func uuids(_ column: Int) -> [UUID] {
        array(column) { value in
            value.count == MemoryLayout<uuid_t>.size
                ? UUID(uuid: value.loadUnaligned(as: uuid_t.self)) : Self.noUUID
        }
    }

    /// An array of the type int4[] or int8[].
    func integers(_ column: Int) -> [Int64] {
        array(column) { value in
            switch value.count {
            case 8: Int64(bigEndian: value.loadUnaligned(as: Int64.self))
            case 4: Int64(Int32(bigEndian: value.loadUnaligned(as: Int32.self)))
            default: 0
            }
        }
    }

    /// An array of one dimension. Its header is 20 bytes: number of dimensions, whether there are NULLs, type, count, first index.
    private func array<Value>(_ column: Int, _ read: (UnsafeRawBufferPointer) -> Value) -> [Value] {
        let value = raw(column)
        guard value.count >= 20 else { return [] }
        let count = Int(Int32(bigEndian: value.loadUnaligned(fromByteOffset: 12, as: Int32.self)))
        var (values, offset): ([Value], Int) = ([], 20)
        values.reserveCapacity(min(max(count, 0), value.count / 4))
        while offset + 4 <= value.count {
            let length = Int(max(0, Int32(bigEndian: value.loadUnaligned(fromByteOffset: offset, as: Int32.self))))
            let start = offset + 4
            guard start + length <= value.count else { break }
            values.append(read(UnsafeRawBufferPointer(rebasing: value[start..<start + length])))
            offset = start + length
        }
        return values
    }

    private static let noUUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// The bytes of a value. They are valid as long as the result.
    private func raw(_ column: Int) -> UnsafeRawBufferPointer {
        let start = PQgetvalue(result.handle, index, Int32(column))
        return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result.handle, index, Int32(column))))
    }
}
