import Testing

@testable import PushCampaign
@testable import PushProvider

@Suite struct LineCutterTests {
    private func cuts(_ cutter: inout LineCutter) -> [String?] {
        var lines: [String?] = []
        while let cut = cutter.next() {
            lines.append(cut.range.map { String(decoding: cutter.buffer[$0], as: UTF8.self) })
        }
        return lines
    }

    @Test func `a quotation mark that is never closed spoils its own line only`() {
        var cutter = LineCutter()
        cutter.delimiter = UInt8(ascii: ",")
        cutter.feed(Array("a,1\n\"b,2\nc,3\nd,4\n".utf8))
        cutter.end()
        #expect(cuts(&cutter) == ["a,1", "\"b,2", "c,3", "d,4"])
    }

    @Test func `a last record without a line end keeps those in its quotation marks`() {
        var cutter = LineCutter()
        cutter.delimiter = UInt8(ascii: ",")
        cutter.feed(Array("a,1\n\"b\nb\",2".utf8))
        cutter.end()
        #expect(cuts(&cutter) == ["a,1", "\"b\nb\",2"])
    }

    @Test func `what was passed over before it goes on elsewhere is forgotten`() {
        var cutter = LineCutter()
        cutter.feed(Array(repeating: UInt8(ascii: "x"), count: LineCutter.longest + 2))
        #expect(cutter.next() == nil)
        cutter.resume(offset: 1_000_000, line: 7)
        cutter.feed(Array("good\n".utf8))
        #expect(cuts(&cutter) == ["good"])
    }

    @Test func `a first line that never ends is refused before it is held`() throws {
        var text = BatchText(format: nil)
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 50_000)
        text.feed(piece)
        #expect(try text.next() == nil)
        text.feed(piece)
        #expect(throws: BatchInputError.self) { try text.next() }
    }

    /// The second line after a very small rate waits for about ten years.
    @Test(
        arguments: [
            (1e-300, 300_000_000_000_000_000), (1e-10, 300_000_000_000_000_000),
            (0, 0), (-1, 0), (.nan, 0), (.infinity, 0),
        ] as [(Double, Int64)])
    func `no rate is too small to be kept`(rate: Double, second: Int64) {
        var pace = RatePace(perSecond: rate)
        #expect(pace.wait(now: 5) == 0)
        #expect(abs(pace.wait(now: 5) - second) <= 1000)
        #expect(pace.wait(now: 5) >= second)
    }

    /// Too long in all, with line ends in its quotation marks, and one that is never closed.
    @Test(arguments: [1000, 4096, 65_536, 65_537, 70_000, 1 << 20])
    func `a line that is too long is cut in the same place, in whatever pieces it arrives`(piece: Int) {
        let long = String(repeating: "x", count: LineCutter.longest / 2)
        let text = """
            token,text
            00,"\(long)
            \(long)
            aa,"inside"
            "
            11,plain\r
            22,\(String(repeating: "y", count: LineCutter.longest - 3))\r
            33,"\(long)
            \(long)\(long)
            44,last
            """
        func cuts(_ piece: Int) -> [String] {
            var cutter = LineCutter()
            cutter.delimiter = UInt8(ascii: ",")
            var cuts: [String] = []
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: piece) {
                cutter.feed(Array(bytes[start..<min(start + piece, bytes.count)]))
                if start + piece >= bytes.count { cutter.end() }
                while let cut = cutter.next() {
                    let words = cut.range.map { String(decoding: cutter.buffer[$0].prefix(20), as: UTF8.self) }
                    cuts.append("\(cut.line) \(words ?? "too long")")
                }
            }
            return cuts
        }
        #expect(cuts(piece) == cuts(text.utf8.count))
    }
}
