import APNSVocabulary
import Testing

@testable import MockAPNs
@testable import PushWire

@Suite struct RequestReaderTests {
    private static func received(_ headers: HeaderBlock, body: String = "{}") -> HTTP2Request {
        HTTP2Request(streamID: 1, headers: headers, body: Array(body.utf8), bodyByteCount: body.utf8.count)
    }

    private static func headers(_ path: String, _ fields: [(name: String, value: String)]) -> HeaderBlock {
        HeaderBlock([(name: ":method", value: "POST"), (name: ":path", value: path)] + fields)
    }

    private static func read(_ received: HTTP2Request) -> MockRequest {
        var reader = RequestReader()
        return reader.request(received)
    }

    @Test func `the same head again has its own body`() {
        let headers = Self.headers("/3/device/ab", [(name: "apns-topic", value: "a.b")])
        var reader = RequestReader()
        let first = reader.request(Self.received(headers, body: "{}"))
        let second = reader.request(Self.received(headers, body: "[]"))
        #expect(second.head === first.head)
        #expect(first.body == Array("{}".utf8))
        #expect(second.body == Array("[]".utf8))
    }

    @Test func `a repeated provider token does not take the place of the first in the next request`() {
        let twice = Self.headers(
            "/3/device/ab", [(name: "authorization", value: "bearer abc"), (name: "authorization", value: "basic")])
        let once = Self.headers("/3/device/cd", [(name: "authorization", value: "bearer abc")])
        var reader = RequestReader()
        _ = reader.request(Self.received(twice))
        let next = reader.request(Self.received(once))
        #expect(next == Self.read(Self.received(once)))
        #expect(next.authorization == "bearer abc")
    }

    @Test(arguments: [
        [(name: "apns-topic", value: "a.b"), (name: "apns-priority", value: "5")],
        [(name: "apns-topic", value: "a.c"), (name: "apns-priority", value: "10")],
        [(name: "apns-topic", value: "a.b")],
        [(name: "apns-priority", value: "10"), (name: "apns-topic", value: "a.b")],
        [(name: "apns-topic", value: "a.b"), (name: "apns-topic", value: "10")],
        [(name: "apns-topic", value: "a.b"), (name: "apns-priority", value: "10"), (name: "apns-id", value: "x")],
        [(name: "apns-topic", value: ""), (name: "", value: "10")],
        [],
    ])
    func `what is read does not depend on the request before`(fields: [(name: String, value: String)]) {
        var reader = RequestReader()
        let usual = [(name: "apns-topic", value: "a.b"), (name: "apns-priority", value: "10")]
        _ = reader.request(Self.received(Self.headers("/3/device/ab", usual)))
        let next = Self.received(Self.headers("/3/device/cd", fields))
        let request = reader.request(next)
        #expect(request == Self.read(next))
        #expect(request.target == .device("cd"))
        #expect(request.fields.map(\.name) == fields.map(\.name))
        #expect(request.fields.map(\.value) == fields.map(\.value))
        #expect(request.topic == fields.first { $0.name == "apns-topic" }?.value)
        #expect(request.repeatedHeader == (fields.map(\.name) == ["apns-topic", "apns-topic"] ? "apns-topic" : nil))
    }

    @Test func `bytes that are no UTF-8 are mended`() {
        var headers = Self.headers("/3/device/ab", [])
        headers.append("apns-topic", bytes: [0x61, 0xFF])
        var reader = RequestReader()
        #expect(reader.request(Self.received(headers)).topic == "a\u{FFFD}")
        #expect(reader.request(Self.received(headers)).topic == "a\u{FFFD}")
    }
}
