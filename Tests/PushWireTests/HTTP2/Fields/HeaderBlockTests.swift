import Testing

@testable import PushWire

@Suite struct HeaderBlockTests {
    @Test func `fields come back in order, whatever bytes they hold`() {
        let fields = [
            (name: ":path", value: "/3/device/ab"), (name: "x-empty", value: ""), (name: "x-text", value: "ä €"),
            (name: "x-text", value: "again"), (name: "x-long", value: String(repeating: "v", count: 4000)),
        ]
        let block = HeaderBlock(fields)
        #expect(block.count == 5)
        #expect(block.fields.map(\.name) == fields.map(\.name))
        #expect(block.fields.map(\.value) == fields.map(\.value))
    }

    @Test func `a value is found by its name, the first when there are several`() {
        let block = HeaderBlock([(name: "a", value: "1"), (name: "ab", value: "2"), (name: "a", value: "3")])
        #expect(block["a"] == "1")
        #expect(block["ab"] == "2")
        #expect(block["b"] == nil)
        #expect(block[""] == nil)
    }

    @Test func `bytes and text of the same content make equal blocks`() {
        var fromBytes = HeaderBlock(reservingBytes: 100)
        fromBytes.append("apns-topic", bytes: Array("com.example".utf8))
        #expect(fromBytes == HeaderBlock([(name: "apns-topic", value: "com.example")]))
        #expect(fromBytes.byteCount == 5 + 10 + 11)
    }

    @Test func `a field that must not be indexed differs from one that may`() {
        var avoided = HeaderBlock()
        avoided.append("apns-id", "1", indexing: .avoided)
        #expect(avoided != HeaderBlock([(name: "apns-id", value: "1")]))
        #expect(avoided["apns-id"] == "1")
    }

    @Test func `a length of 65535 bytes fits and one more is left out`() {
        let longest = String(repeating: "a", count: 65535)
        var block = HeaderBlock()
        block.append("value", longest)
        block.append(longest, "name")
        block.append("value", longest + "a")
        block.append(longest + "a", "name")
        block.append("last", "1")
        #expect(block.fields.map(\.name) == ["value", longest, "last"])
        #expect(block.fields.map(\.value) == [longest, "name", "1"])
        #expect(block.count == 3)
    }

    @Test func `an emptied block is like a new one`() {
        var block = HeaderBlock([(name: "a", value: "1")])
        block.removeAll()
        #expect(block == HeaderBlock())
        #expect(block.count == 0)
        #expect(block["a"] == nil)
        block.append("b", "2")
        #expect(block.fields.map(\.name) == ["b"])
    }
}
