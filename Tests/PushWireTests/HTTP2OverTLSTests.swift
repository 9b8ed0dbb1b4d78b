import PushWire
import TestSupport
import Testing

@Suite struct HTTP2OverTLSTests {
    @Test(arguments: [1, 7, 16384])
    func `a request and its answer travel, however the bytes are cut`(size: Int) throws {
        let pair = try WirePair(certificate: ServerCertificate())
        try pair.client.start()
        try pair.exchange(bytesAtATime: size)
        let id = try pair.client.open(body: Array("{}".utf8), tag: 9)
        try pair.exchange(bytesAtATime: size)
        let requests = pair.server.takeEvents().compactMap { event -> HTTP2Request? in
            if case .requestReceived(let request) = event { request } else { nil }
        }
        #expect(requests.map(\.streamID) == [id])
        #expect(requests.first?.body == Array("{}".utf8))
        let answer = [UInt8](repeating: 5, count: 20_000)
        try pair.server.http2.submitResponse(.response(200), body: answer, on: id)
        try pair.exchange(bytesAtATime: size)
        let ends = pair.client.takeEvents().compactMap { event -> HTTP2StreamEnd? in
            if case .streamEnded(let end) = event { end } else { nil }
        }
        #expect(ends.map(\.tag) == [9])
        #expect(ends.first?.response.status == 200)
        #expect(ends.first?.response.body == answer)
    }

    @Test func `the first flight waits after the start, and no frame before the handshake is done`() throws {
        let pair = try WirePair(certificate: ServerCertificate())
        #expect(try pair.client.sendAll().isEmpty)
        #expect(try pair.server.sendAll().isEmpty)
        try pair.client.start()
        let flight = try pair.client.sendAll()
        #expect(try #require(TLSRecord.read(flight.flatMap(\.bytes))).map(\.type) == [TLSRecord.handshake])
        #expect(flight.map(\.opened) == [[]])
        #expect(!pair.client.tls.isEstablished)
    }

    // MARK: Which request is in which record

    @Test func `each of a thousand requests is reported with the record that holds its first byte`() throws {
        let pair = try WirePair.connected()
        var tagOfStream: [Int32: Int] = [:]
        for index in 0..<1000 {
            // Sizes that drift, so that records end inside of frames of every kind.
            let topic = String(repeating: "t", count: 1 + index * 37 % 211)
            let body = [UInt8](repeating: 0, count: index * 53 % 400)
            let request = HeaderBlock.request(path: "/3/device/\(index)", extra: [(name: "x-\(index)", value: topic)])
            let tag = 5000 - index
            tagOfStream[try pair.client.open(request, body: body, tag: tag)] = tag
        }
        let records = try pair.client.sendAll()
        let (plaintext, ends) = try decipher(records, with: pair.server.tls)

        var expected = records.map { _ in [Int]() }
        var cutOpenings = 0
        for (offset, frame) in try #require(Frame.readWithOffsets(plaintext)) where frame.kind == .headers {
            let record = try #require(ends.firstIndex { offset < $0 })
            expected[record].append(try #require(tagOfStream[frame.streamID]))
            if offset + 9 + frame.payload.count > ends[record] { cutOpenings += 1 }
        }
        #expect(records.map(\.opened) == expected)
        #expect(records.flatMap(\.opened).sorted() == Array(4001...5000))
        // Without HEADERS that are cut by the end of a record, the first byte and the last would be the same.
        #expect(cutOpenings > 3)
        #expect(records.count > 8)
    }

    /// The plaintext of records one by one, and where in it each record ends.
    private func decipher(_ records: [WirePair.Sent], with tls: TLSSession) throws -> ([UInt8], ends: [Int]) {
        var plaintext: [UInt8] = []
        var ends: [Int] = []
        for record in records {
            #expect(TLSRecord.read(record.bytes)?.count == 1)
            tls.receive(record.bytes)
            let piece = try tls.readAll()
            #expect(!piece.isEmpty && piece.count <= TLSSession.recordBytes)
            plaintext += piece
            ends.append(plaintext.count)
        }
        return (plaintext, ends)
    }

    @Test func `small frames share a record, and a record is filled before the next begins`() throws {
        let pair = try WirePair.connected()
        for tag in 0..<10 { _ = try pair.client.open(body: [1, 2, 3], tag: tag) }
        let few = try pair.client.sendAll()
        #expect(few.map(\.opened) == [Array(0..<10)])

        for tag in 10..<14 { _ = try pair.client.open(body: [UInt8](repeating: 0, count: 10_000), tag: tag) }
        let many = try pair.client.sendAll()
        let sizes = try decipher(few + many, with: pair.server.tls).ends.dropFirst()
        let first = try #require(sizes.first)
        #expect(zip(sizes.dropFirst(), sizes).dropLast().allSatisfy { $0 - $1 == TLSSession.recordBytes })
        #expect(first > TLSSession.recordBytes)
        #expect(many.map(\.opened) == [[10, 11, 12, 13], [], []])
    }

    @Test func `a record that is full to its last byte says nothing of the request behind it`() throws {
        func request(filler: Int) -> HeaderBlock {
            .request(extra: [(name: "x", value: String(repeating: "~", count: filler))])
        }
        let probe = try Endpoint.connectedClient()
        try probe.open(request(filler: 16_000))
        let filler = try 16_000 + TLSSession.recordBytes - probe.send().count

        let pair = try WirePair.connected()
        _ = try pair.client.open(request(filler: filler), tag: 1)
        _ = try pair.client.open(tag: 2)
        let records = try pair.client.sendAll()
        #expect(records.map(\.opened) == [[1], [2]])
        #expect(try decipher(records, with: pair.server.tls).ends.first == TLSSession.recordBytes)
    }

    @Test func `the count of ciphertext, as each record is handed over, is where that record ends`() throws {
        let pair = try WirePair(certificate: ServerCertificate())
        try pair.client.start()
        var taken: UInt64 = 0
        var pieces = 0
        func send() throws {
            while let bytes = try pair.client.nextRecord({ _, bytes in
                taken += UInt64(bytes.count)
                #expect(pair.client.tls.ciphertextCount == taken)
                return Array(bytes)
            }) {
                pieces += 1
                try pair.server.receive(bytes)
            }
        }
        for _ in 0..<3 {
            try send()
            try pair.client.receive(pair.server.sendAll().flatMap(\.bytes))
        }
        for tag in 0..<500 { _ = try pair.client.open(body: [UInt8](repeating: 0, count: 100), tag: tag) }
        try send()
        #expect(pieces > 6)
    }

    @Test func `a whole exchange of a thousand requests tells each tag once`() throws {
        let pair = try WirePair.connected()
        let ids = try (0..<1000).map { try pair.client.open(body: [UInt8](repeating: 0, count: 200), tag: $0) }
        let records = try pair.exchange()
        #expect(records.flatMap(\.opened) == Array(0..<1000))
        for id in ids { try pair.server.http2.submitResponse(.response(200), on: id) }
        try pair.exchange()
        let tags = pair.client.takeEvents().compactMap { event -> Int? in
            if case .streamEnded(let end) = event, end.cause == .answered { end.tag } else { nil }
        }
        #expect(tags.sorted() == Array(0..<1000))
    }

    // MARK: Connections that cannot be

    @Test func `to a server of an unknown authority goes an alert and not one byte of application data`() throws {
        let pair = try WirePair(certificate: ServerCertificate(), trusting: ServerCertificate())
        try pair.client.start()
        try pair.server.receive(pair.client.sendAll().flatMap(\.bytes))
        let failure = try #require(throws: HTTP2OverTLS.Failure.self) {
            try pair.client.receive(pair.server.sendAll().flatMap(\.bytes))
        }
        guard case .tls(let error) = failure else { throw failure }
        #expect(error.code == .untrustedAuthority)

        let last = try pair.client.sendAll()
        #expect(last.count == 1)
        #expect(last.allSatisfy { $0.opened.isEmpty })
        let heard = try #require(throws: HTTP2OverTLS.Failure.self) {
            try pair.server.receive(last.flatMap(\.bytes))
        }
        #expect(heard.description.contains("unknown ca"))
        #expect(try pair.server.tls.readAll() == [])
        #expect(pair.server.http2.peerSettings == nil)
        #expect(try pair.client.sendAll().isEmpty)
    }

    @Test func `to a server without HTTP/2 goes not one frame`() throws {
        let pair = try WirePair(certificate: ServerCertificate(), speaksHTTP2: false)
        try pair.client.start()
        try pair.server.receive(pair.client.sendAll().flatMap(\.bytes))
        let failure = try #require(throws: HTTP2OverTLS.Failure.self) {
            try pair.client.receive(pair.server.sendAll().flatMap(\.bytes))
        }
        guard case .tls(let error) = failure else { throw failure }
        #expect(error.code == .noHTTP2)
        #expect(!pair.client.tls.isEstablished)
        let last = try pair.client.sendAll().flatMap(\.bytes)
        // The end of the handshake may still be said; the preface and the settings of HTTP/2 may not.
        #expect(throws: HTTP2OverTLS.Failure.self) { try pair.server.receive(last) }
        #expect(try pair.server.tls.readAll().isEmpty)
        #expect(try pair.client.sendAll().isEmpty)
    }

    @Test func `a violation of HTTP/2 is reported as such and answered with GOAWAY`() throws {
        let pair = try WirePair.connected()
        try pair.server.tls.seal(Frame.data("x", on: 99).bytes)
        try pair.client.receive(pair.server.tls.takeCiphertext())
        let answer = try pair.client.sendAll()
        #expect(answer.count == 1)
        #expect(pair.client.http2.isFinished)
        try pair.server.receive(answer.flatMap(\.bytes))
        let heard = pair.server.takeEvents().contains { if case .goAwayReceived = $0 { true } else { false } }
        #expect(heard)
    }

    @Test func `a header block without end is a failure of HTTP/2`() throws {
        let pair = try WirePair.connected()
        _ = try pair.client.open(tag: 1)
        try pair.exchange()
        // Without END_HEADERS, and then fields without end.
        var frames = Frame.headers([(":status", "200")], on: 1, flags: 0).bytes
        for _ in 0..<30 { frames += Frame.continuation([("x", "v")], on: 1).bytes }
        try pair.server.tls.seal(frames)
        let bytes = pair.server.tls.takeCiphertext()
        let failure = try #require(throws: HTTP2OverTLS.Failure.self) { try pair.client.receive(bytes) }
        guard case .http2(let error) = failure else { throw failure }
        #expect(error.code == .continuations)
        #expect(failure.description == error.description)
    }

    @Test func `a record that was changed on its way is a failure of TLS`() throws {
        let pair = try WirePair.connected()
        _ = try pair.client.open(tag: 1)
        var bytes = try pair.client.sendAll().flatMap(\.bytes)
        bytes[10] ^= 1
        let failure = try #require(throws: HTTP2OverTLS.Failure.self) { try pair.server.receive(bytes) }
        guard case .tls(let error) = failure else { throw failure }
        #expect(error.code == .failed)
        #expect(failure.description == error.description)
    }

    // MARK: The end

    @Test func `the end is said once, behind all that was sent, and nothing follows`() throws {
        let pair = try WirePair.connected()
        _ = try pair.client.open(tag: 1)
        pair.client.http2.goAway()
        let last = try pair.client.sendAll()
        #expect(last.map(\.opened) == [[1]])
        pair.client.close()
        let notice = try pair.client.sendAll()
        #expect(notice.count == 1)
        // An answer to a ping that comes later has no way out any more, and that is no failure.
        pair.server.http2.ping(1)
        try pair.client.receive(pair.server.sendAll().flatMap(\.bytes))
        #expect(try pair.client.sendAll().isEmpty)

        try pair.server.receive((last + notice).flatMap(\.bytes))
        #expect(pair.server.tls.isClosedByPeer)
        let kinds = pair.server.takeEvents().map { event in
            switch event {
            case .requestReceived: "request"
            case .goAwayReceived: "goaway"
            default: "other"
            }
        }
        #expect(Set(kinds).isSuperset(of: ["request", "goaway"]))
        pair.server.close()
        try pair.client.receive(pair.server.sendAll().flatMap(\.bytes))
        #expect(pair.client.tls.isClosedByPeer)
    }
}
