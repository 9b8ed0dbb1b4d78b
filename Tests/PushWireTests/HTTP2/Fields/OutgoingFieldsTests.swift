import Testing

@testable import PushWire

@Suite struct OutgoingFieldsTests {
    @Test func `fields come back in order, whatever bytes they hold`() {
        let fields = [
            (name: ":path", value: "/3/device/ab"), (name: "x-empty", value: ""), (name: "x-text", value: "ä €"),
            (name: "x-text", value: "again"), (name: "x-long", value: String(repeating: "v", count: 4000)),
        ]
        let request = OutgoingFields(fields)
        #expect(request.fields.map(\.name) == fields.map(\.name))
        #expect(request.fields.map(\.value) == fields.map(\.value))
        #expect(request.byteCount >= fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count })
    }

    @Test(arguments: [0, 1, 20, 42, 43, 1000]) func `what does not fit at first is written again`(expected: Int) {
        var rounds = 0
        let request = OutgoingFields(expecting: expected) { fields in
            rounds += 1
            fields.write(":path", prefix: "/3/device/", "0123456789")
            fields.write("apns-id", "1", indexing: .avoided)
        }
        #expect(request.fields.map(\.name) == [":path", "apns-id"])
        #expect(request.fields.map(\.value) == ["/3/device/0123456789", "1"])
        #expect(request.fields.map(\.indexing) == [.allowed, .avoided])
        #expect((rounds > 1) == (expected < 43))
    }

    @Test func `what no peer would take is left out`() {
        let longest = String(repeating: "a", count: 65_535)
        let request = OutgoingFields(expecting: 10) { fields in
            fields.write("value", longest + "a")
            fields.write("value", prefix: "p", longest)
            fields.write(longest + "a", "name")
            fields.write(longest, longest)
            fields.write("b", "2")
        }
        #expect(request.fields.map(\.name) == [longest, "b"])
        #expect(OutgoingFields.none.byteCount == 0)
    }

    @Test func `the caller may release the fields as soon as they are submitted`() throws {
        let pair = try SessionPair.connected()
        for number in 0..<50 {
            let fields = OutgoingFields([
                (":method", "POST"), (":scheme", "https"), (":authority", "a"), (":path", "/\(number)"),
                ("x-value", String(repeating: "v\(number) ", count: 20) + "."),
            ])
            let body = Array(repeating: UInt8(number), count: 300)
            _ = try pair.client.session.submit(fields, body: body, tag: number)
            // Whatever memory is free now is used for something else.
            withExtendedLifetime((0..<20).map { _ in OutgoingFields([("y", String(repeating: "z", count: 150))]) }) {}
        }
        try pair.clientToServer()
        let values = pair.server.requests.map { $0.headers["x-value"] ?? "" }
        #expect(pair.server.requests.map(\.body) == (0..<50).map { Array(repeating: UInt8($0), count: 300) })
        #expect(values == (0..<50).map { String(repeating: "v\($0) ", count: 20) + "." })
    }
}
