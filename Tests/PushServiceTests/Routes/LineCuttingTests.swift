import Testing

@testable import PushService

@Suite struct LineCuttingTests {
    private func lines(_ text: String, most: Int = 10, step: Int) -> [LineCutting.Line] {
        var cutting = LineCutting(most: most)
        var lines: [LineCutting.Line] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: step) {
            lines += cutting.append(bytes[start..<min(start + step, bytes.count)])
        }
        if let last = cutting.finish() { lines.append(last) }
        return lines
    }

    @Test(arguments: 1...20)
    func `lines are the same however the bytes arrive`(step: Int) {
        let expected: [LineCutting.Line] = [
            .text(Array("one".utf8), number: 1), .text(Array("two".utf8), number: 3), .tooLong(number: 5),
            .text(Array("0123456789".utf8), number: 6), .text(Array("end".utf8), number: 7),
        ]
        #expect(lines("one\n\ntwo\r\n  \n01234567890\n0123456789\nend", step: step) == expected)
    }

    @Test func `a last line that is too long is noticed`() {
        #expect(lines("01234567890", step: 4) == [.tooLong(number: 1)])
        #expect(lines("", step: 1).isEmpty && lines("\n", step: 1).isEmpty)
    }
}
