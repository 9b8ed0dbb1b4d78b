internal import CPQ
import PushPlatform

/// Owns a result of libpq.
///
/// It is unchecked, as libpq never changes a result after it has given it away, and any thread may read it.
final class PostgresResult: @unchecked Sendable {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { PQclear(handle) }

    var status: ExecStatusType { PQresultStatus(handle) }

    /// The five characters of an error; `nil` if it does not come from the server.
    var state: String? { field("C") }

    /// The first line of an error from the server.
    var message: String? { field("M") }

    /// The constraint that an error is about. Unlike the message, it is the same in all languages.
    var constraint: String? { field("n") }

    /// The function in the source of the server where the error comes from.
    var function: String? { field("R") }

    /// Whether the message may quote a value. Those do not that are about a place in the text of the statement ("P"), about a right to an
    /// object, or about the server itself.
    var mayQuoteValues: Bool {
        guard let state, field("P") == nil, !["42501", "XX001", "XX002"].contains(state) else { return false }
        return !["08", "25", "40", "53", "54", "55", "57", "58"].contains(state.prefix(2))
    }

    /// Where a function of somebody has failed: `PL/pgSQL function forget() line 3 at RAISE`; `nil` if it was not in such a function. Other
    /// lines of the context quote statements, which may have values.
    var place: String? {
        field("W")?.split(separator: "\n").first { $0.hasPrefix("PL/") }.map { String($0.prefix(200)) }
    }

    private func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(handle, Int32(code.value)).map { String(cString: $0) }
    }
}

/// The rows of a result. Their values are in PostgreSQL's binary format.
struct PostgresRows: Sendable {
    private let result: PostgresResult
    /// The number of rows that came back.
    let count: Int

    init(_ result: PostgresResult) {
        self.result = result
        count = Int(PQntuples(result.handle))
    }

    /// The number of rows that the statement inserted, changed, deleted or returned.
    var affected: Int {
        guard var digit = PQcmdTuples(result.handle) else { return 0 }
        var number = 0
        while digit.pointee != 0 {
            number = number * 10 + Int(digit.pointee) - Int(UInt8(ascii: "0"))
            digit += 1
        }
        return number
    }

    var first: PostgresRow? { count == 0 ? nil : self[0] }

    subscript(index: Int) -> PostgresRow { PostgresRow(result, index) }

    func map<Value>(_ read: (PostgresRow) -> Value) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for index in 0..<count { values.append(read(self[index])) }
        return values
    }
}
