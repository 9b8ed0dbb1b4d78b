import MockAPNs
import Testing

@testable import PushProvider

extension FaultRow {
    private static let ok = [MockRequest.Field(":status", "200")]

    /// Frames that HTTP/2 forbids, or that nobody knows.
    static let frames: [FaultRow] = [
        FaultRow(
            number: "40", words: "answer before the body is fully sent", kind: .harmless,
            arrangement: .mock([
                MockFault(
                    at: .connectionEstablished,
                    steps: [.settings(MockFault.Settings(maxConcurrentStreams: 1000, initialWindowSize: 10))]),
                MockFault(at: .requestHeaders, steps: [.answer(status: 200)]),
            ]), payload: .long, maximumConnections: 1),
        broken(
            "41", "answer on an idle stream",
            [.frame(MockFault.Frame(.headers, flags: [.endHeaders, .endStream], on: .id(1001), fields: ok))]),
        broken(
            "41a", "answer on an even stream",
            [.frame(MockFault.Frame(.headers, flags: [.endHeaders, .endStream], on: .id(2), fields: ok))]),
        broken(
            "41b", "answer on no stream",
            [.frame(MockFault.Frame(.headers, flags: [.endHeaders, .endStream], on: .connection, fields: ok))]),
        // `:status` among trailers makes the stream malformed, and its status was not the end of it.
        oneUnknown(
            "42", "HEADERS twice",
            [
                .frame(MockFault.Frame(.headers, flags: .endHeaders, on: .this, fields: ok)),
                .frame(MockFault.Frame(.headers, flags: [.endHeaders, .endStream], on: .this, fields: ok)),
            ]),
        broken(
            "43", "DATA before HEADERS", [.frame(MockFault.Frame(.data, flags: .endStream, on: .this, payload: "{}"))]),
        FaultRow(
            number: "44", words: "DATA after END_STREAM", kind: .harmless,
            arrangement: .mock([
                MockFault(
                    steps: [.answer(status: 200), .frame(MockFault.Frame(.data, on: .this, payload: "late"))], times: 1)
            ]), expected: .counts(["accepted": 6])),
        broken(
            "45", "PUSH_PROMISE though disabled",
            [.frame(MockFault.Frame(.pushPromise, flags: .endHeaders, on: .this, payload: .bytes([0, 0, 0, 2])))]),
        broken(
            "52", "CONTINUATION flood",
            [
                .frame(MockFault.Frame(.headers, on: .this, fields: ok)),
                .repeated(
                    [.frame(MockFault.Frame(.continuation, on: .this, fields: [.init("x-more", "and more")]))],
                    times: 100_000),
            ]),
        broken("53", "HPACK bad index", [hpack([0xFF, 0xFF, 0x7F])]),
        broken("53a", "HPACK index 0", [hpack([0x80])]),
        broken("53b", "HPACK table larger than allowed", [hpack([0x3F, 0xFF, 0xFF, 0x7F])]),
        broken("53c", "HPACK string without its end", [hpack([0x00, 0x7F])]),
        broken("71", "PING flood", [.repeated([.frame(ping)], times: 20_000)]),
        FaultRow(
            number: "74", words: "unknown frame, ALTSVC, ORIGIN, PRIORITY_UPDATE, PRIORITY", kind: .harmless,
            arrangement: .mock([
                MockFault(steps: [
                    .frame(MockFault.Frame(.init(rawValue: 0xEE), flags: .init(rawValue: 0xFF), payload: "whatever")),
                    .frame(MockFault.Frame(.init(rawValue: 0xEE), on: .this, payload: "whatever")),
                    .frame(MockFault.Frame(.altService, payload: .bytes([0, 1, 0x61, 0x62]))),
                    .frame(MockFault.Frame(.origin, payload: .bytes([0, 1, 0x61]))),
                    .frame(MockFault.Frame(.priorityUpdate, payload: .bytes([0, 0, 0, 1]))),
                    .frame(MockFault.Frame(.priority, on: .this, payload: .bytes([0, 0, 0, 0, 16]))),
                ])
            ]), maximumConnections: 1),
        broken("74a", "frame longer than allowed", [.frame(MockFault.Frame(.ping, payload: .filled(9)))]),
        broken(
            "74b", "frame that says it is longer than allowed",
            [.frame(MockFault.Frame(.data, on: .this, payload: .filled(100), declaredLength: 16_385))]),
        broken("75", "garbage bytes", [.bytes(.bytes(Array(repeating: 0xA5, count: 1000)))]),
        broken("75a", "HTTP/1.1 in the middle", [.bytes("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")]),
    ]

    private static let ping = MockFault.Frame(.ping, payload: .filled(8))

    private static func hpack(_ block: [UInt8]) -> MockFault.Step {
        .frame(MockFault.Frame(.headers, flags: [.endHeaders, .endStream], on: .this, payload: .bytes(block)))
    }
}
