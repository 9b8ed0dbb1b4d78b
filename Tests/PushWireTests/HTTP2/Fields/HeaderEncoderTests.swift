import TestSupport
import Testing

@testable import PushWire

@Suite struct HeaderEncoderTests {
    /// What an encoder writes for one request.
    private func encode(_ encoder: inout HeaderEncoder, _ fields: OutgoingFields...) -> [UInt8] {
        let room = HeaderEncoder.room(for: fields.reduce(0) { $0 + $1.byteCount })
        return [UInt8](unsafeUninitializedCapacity: room) { memory, count in
            guard let start = memory.baseAddress else { return }
            var output = HPACKWriter(start)
            encoder.begin(&output)
            for part in fields { withExtendedLifetime(part) { encoder.write(part.memory, to: &output) } }
            count = output.count
        }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// RFC 7541, appendix C.2.1: a literal field with indexing, and what it is the next time.
    @Test func `a field that comes again is a byte from the second time on`() {
        var encoder = HeaderEncoder()
        let fields = OutgoingFields([("custom-key", "custom-header")])
        #expect(hex(encode(&encoder, fields)) == "400a637573746f6d2d6b65790d637573746f6d2d686561646572")
        #expect(hex(encode(&encoder, fields)) == "be")
    }

    /// RFC 7541, appendix C.2.2: a literal field without indexing whose name is in the static table.
    @Test func `a path stays out of the table`() {
        var encoder = HeaderEncoder()
        let path = OutgoingFields(expecting: 100) { $0.write(":path", "/sample/path", indexing: .avoided) }
        for _ in 0..<2 { #expect(hex(encode(&encoder, path)) == "040c2f73616d706c652f70617468") }
    }

    @Test func `method and scheme are a byte each from the first time on`() {
        var encoder = HeaderEncoder()
        #expect(hex(encode(&encoder, OutgoingFields([(":method", "POST"), (":scheme", "https")]))) == "8387")
        #expect(hex(encode(&encoder, OutgoingFields([(":method", "GET"), (":scheme", "http")]))) == "8286")
    }

    @Test(arguments: [(HTTP2Method.get, "82"), (.post, "83"), (.delete, "020644454c455445")])
    func `a method of a request is a byte, or has its name in the static table`(method: HTTP2Method, bytes: String) {
        let written = [UInt8](unsafeUninitializedCapacity: HeaderEncoder.room(for: 0)) { memory, count in
            guard let start = memory.baseAddress else { return }
            var output = HPACKWriter(start)
            HeaderEncoder().write(method, to: &output)
            count = output.count
        }
        #expect(hex(written) == bytes)
    }

    /// Apple asks for it: the first id goes into the table for the sake of its name, the others do not.
    @Test func `an id enters the table once, for its name`() {
        var encoder = HeaderEncoder()
        func id(_ value: String) -> OutgoingFields {
            OutgoingFields(expecting: 100) { $0.write("apns-id", value, indexing: .avoided) }
        }
        #expect(hex(encode(&encoder, id("a"))) == "4007" + hex(Array("apns-id".utf8)) + "0161")
        // Index 62, of which 15 fit the four bits.
        #expect(hex(encode(&encoder, id("b"))) == "0f2f0162")
        #expect(hex(encode(&encoder, id("a"))) == "0f2f0161")
    }

    @Test func `a secret is never indexed, is written in Huffman's code and is the same each time`() {
        var encoder = HeaderEncoder()
        let secret = OutgoingFields(secret: "authorization", "bearer eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQyJ9.e30.c2ln")
        let first = encode(&encoder, secret)
        // Name 23, never indexed: 0001 and 1111, then 8.
        #expect(first.starts(with: [0x1F, 0x08]))
        #expect(first[2] & 0x80 != 0)
        #expect(first.count < 55)
        #expect(encode(&encoder, secret) == first)
        #expect(secret.fields.isEmpty)
    }

    @Test func `a table that the peer takes away and gives back is announced, the smallest first`() {
        var encoder = HeaderEncoder()
        let fields = OutgoingFields([("k", "v")])
        _ = encode(&encoder, fields)
        encoder.peerAllows(65_536)
        #expect(hex(encode(&encoder, fields)) == "be")
        encoder.peerAllows(0)
        encoder.peerAllows(100)
        // 0, then 100 = 31 + 69; the entry is gone.
        #expect(hex(encode(&encoder, fields)) == "20" + "3f45" + "40016b0176")
        #expect(hex(encode(&encoder, fields)) == "be")
        encoder.peerAllows(0)
        #expect(hex(encode(&encoder, fields)) == "20" + "00016b0176")
        #expect(hex(encode(&encoder, fields)) == "00016b0176")
    }

    @Test func `a peer may take the table away and give it back in one frame`() throws {
        let client = try Endpoint.connectedClient()
        try client.open(tag: 1)
        _ = try client.send()
        // HEADER_TABLE_SIZE 0, HEADER_TABLE_SIZE 4096.
        try client.receive(Frame(kind: .settings, payload: [0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0x10, 0]))
        try client.open(tag: 2)
        let headers = try #require(try client.sendFrames().first { $0.kind == .headers })
        // 0, and 4096 = 31 + 4065.
        #expect(headers.payload.starts(with: [0x20, 0x3F, 0xE1, 0x1F]))
    }

    /// nghttp2 reads at the other end: whatever comes in whatever order, both tables stay the same.
    @Test(arguments: 0..<20) func `another implementation reads what was written`(seed: UInt64) throws {
        var random = Xorshift(seed: seed)
        var limits = HTTP2Session.Limits()
        limits.headerBytes = 100_000
        var own = HTTP2Session.Limits()
        own.commonFields = KeptRequest(
            OutgoingFields([(":method", "POST"), (":scheme", "https"), (":authority", "api.push.apple.com")]))
        let pair = try SessionPair.connected(client: own, server: limits)
        var expected: [[String]] = []
        for tag in 0..<300 {
            if Int.random(in: 0..<20, using: &random) == 0 {
                let size: UInt32? = [0, 60, 200, 1000, 4096, 10_000].randomElement(using: &random)
                try pair.server.session.announceSettings(HTTP2Settings(headerTableSize: size))
                try pair.exchange()
            }
            let own = request(&random)
            let secret = OutgoingFields(secret: "authorization", "bearer \(Int.random(in: 0..<3, using: &random))")
            _ = try #require(
                try pair.client.session.submit(own, body: [1], credential: KeptRequest(secret), tag: tag))
            expected.append(own.fields.map { "\($0.name)=\($0.value)" })
            try pair.clientToServer()
            try pair.answerAll()
            try pair.exchange()
        }
        #expect(pair.server.requests.count == 300)
        for (request, own) in zip(pair.server.requests, expected) {
            let all = request.headers.fields.map { "\($0.name)=\($0.value)" }
            #expect(all.dropFirst(3).dropLast() == own[...])
            #expect(all.last?.hasPrefix("authorization=bearer ") == true)
        }
    }

    private func request(_ random: inout Xorshift) -> OutgoingFields {
        let number = { (random: inout Xorshift) in Int.random(in: 0..<6, using: &random) }
        let values = (number(&random), number(&random), number(&random), number(&random))
        let long = String(
            repeating: "x", count: [0, 1, 30, 126, 127, 128, 3000, 5000].randomElement(using: &random) ?? 0)
        let withID = Bool.random(using: &random)
        return OutgoingFields(expecting: 296) { fields in
            fields.write(":path", prefix: "/3/device/", "\(values.0)\(long.prefix(200))", indexing: .avoided)
            fields.write("apns-topic", "com.example.app\(values.1)")
            fields.write("apns-priority", "\(values.2)")
            if withID { fields.write("apns-id", "\(long)\(values.3)", indexing: .avoided) }
            if values.3 == 0 { fields.write("x-long", long) }
        }
    }
}

/// The same numbers for the same seed.
private struct Xorshift: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
