import Testing

@testable import PushHTTP

/// Where the bytes of a connection are cut before the decoder.
@Suite struct RequestCuttingTests {
    private struct Request {
        var head: String
        var body = ""
        var kind: RequestCutting.Body?
    }

    private static let lineEnds = String(repeating: "\n", count: 64 << 10)

    private static func get(_ path: String) -> Request { Request(head: "GET \(path) HTTP/1.1\r\nhost: a\r\n\r\n") }

    private static func withLength(_ body: String) -> Request {
        Request(
            head: "POST / HTTP/1.1\r\ncontent-length: \(body.utf8.count)\r\n\r\n", body: body,
            kind: .length(body.utf8.count))
    }

    private static func chunked(_ body: String) -> Request {
        Request(head: "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", body: body, kind: .chunks)
    }

    /// The number of parts for requests of which this many bytes arrive at a time. No part has bytes of two requests.
    private func parts(_ requests: [Request], step: Int) -> Int {
        var (bytes, heads, ends): ([UInt8], [Int: RequestCutting.Body?], Set<Int>) = ([], [:], [])
        for request in requests {
            bytes += Array(request.head.utf8)
            heads.updateValue(request.kind, forKey: bytes.count)
            bytes += Array(request.body.utf8)
            ends.insert(bytes.count)
        }
        let borders = ends.union(heads.keys)
        var cutting = RequestCutting()
        var (passed, arrived, count) = (0, 0, 0)
        while passed < bytes.count {
            if passed == arrived { arrived = min(arrived + step, bytes.count) }
            let length = bytes[passed..<arrived].withUnsafeBytes { cutting.length(of: $0) }
            let end = passed + length
            let isWithin = borders.allSatisfy { $0 <= passed || $0 >= end }
            guard length > 0, isWithin else {
                Issue.record("The bytes \(passed)..<\(end) with borders at \(borders.sorted())")
                return count
            }
            // What the decoder reports.
            if let kind = heads[end] { cutting.headCame(kind) }
            if ends.contains(end) { cutting.endCame() }
            (passed, count) = (end, count + 1)
        }
        return count
    }

    @Test func `a body is one part, whatever is in it`() {
        let size = String(Self.lineEnds.utf8.count, radix: 16)
        for body in [Self.withLength(Self.lineEnds), Self.chunked("\(size)\r\n\(Self.lineEnds)\r\n0\r\n\r\n")] {
            #expect(parts([body, Self.get("/a")], step: 1 << 20) == 3)
        }
        // The decoder skips line ends before a request.
        let before = Request(head: Self.lineEnds + "GET / HTTP/1.1\r\n\r\n")
        #expect(parts([Self.get("/a"), before], step: 1 << 20) == 2)
        var cutting = RequestCutting()
        let length = Array(Self.lineEnds.utf8).withUnsafeBytes { cutting.length(of: $0) }
        #expect(length == 64 << 10)
    }

    @Test(arguments: Array(1...40) + [1000])
    func `no part has bytes of two requests, wherever the bytes are cut`(step: Int) {
        let requests = [
            Self.get("/a"), Self.withLength("\r\n\r\nGET /b HTTP/1.1\r\n\r\n"), Self.withLength(""), Self.get("/c"),
            Self.chunked("5;a=\"0\"\r\n\n\n\n\n\n\r\n0\r\nx: y\r\nz: 0\r\n\r\n"), Self.get("/d"),
            Self.chunked("A\r\n0\r\n\r\n0\r\n\r\n\r\n0f\r\nGET / HTTP/1.1\n\r\n000\r\n\r\n"),
            Self.chunked("0\r\n\r\n"), Request(head: "\r\n\r\nGET /e HTTP/1.1\nhost: a\n\n"), Self.get("/f"),
        ]
        let count = parts(requests, step: step)
        if step == 1000 { #expect(count == 14) }
    }

    @Test func `a size that no number holds is the largest one`() {
        var cutting = RequestCutting()
        cutting.headCame(.chunks)
        let bytes = Array("ffffffffffffffffffffffff\r\n\(Self.lineEnds)".utf8)
        let length = bytes.withUnsafeBytes { cutting.length(of: $0) }
        #expect(length == bytes.count)
    }
}
