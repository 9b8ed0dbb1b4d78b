import PushWire
import Testing

@testable import MockAPNs

@Suite struct MockFaultBytesTests {
    @Test func `a frame is laid out as HTTP 2 has it`() {
        let frame = MockFault.Frame(.data, flags: [.endStream, .padded], on: .this, payload: .bytes([1, 2, 3]))
        #expect(frame.onTheWire(0x0102_0304) == [0, 0, 3, 0, 9, 1, 2, 3, 4, 1, 2, 3])
        #expect(
            MockFault.Frame(.ping, payload: "x", declaredLength: 0xABCDEF).onTheWire(0).prefix(4) == [
                0xAB, 0xCD, 0xEF, 6,
            ])
    }

    @Test func `fields are HPACK that any decoder reads`() throws {
        let long = String(repeating: "v", count: 5000)
        let fields = [
            MockRequest.Field(":status", "200"), .init("Upper", ""), .init("x", long), .init("y", "\u{1}"),
        ]
        let block = MockFault.Frame(.headers, on: .this, fields: fields).payload.onTheWire
        #expect(try HPACKDecoding.fields(block) == fields)
    }

    @Test func `filling is x`() {
        #expect(MockFault.Bytes.filled(3).onTheWire == Array("xxx".utf8))
        #expect(MockFault.Bytes.text("é").count == 2)
    }
}

/// A decoder for literals without a table, straight from RFC 7541 section 5.
private enum HPACKDecoding {
    struct Cut: Error {}

    static func fields(_ block: [UInt8]) throws -> [MockRequest.Field] {
        var rest = block[...]
        var fields: [MockRequest.Field] = []
        while let first = rest.popFirst() {
            guard first == 0 else { throw Cut() }
            fields.append(.init(try text(&rest), try text(&rest)))
        }
        return fields
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) throws -> String {
        guard let first = rest.popFirst(), first < 128 else { throw Cut() }
        var length = Int(first)
        var shift = 0
        while first == 127 {
            guard let more = rest.popFirst() else { throw Cut() }
            length += Int(more & 127) << shift
            shift += 7
            if more < 128 { break }
        }
        guard rest.count >= length else { throw Cut() }
        defer { rest.removeFirst(length) }
        return String(decoding: rest.prefix(length), as: UTF8.self)
    }
}
