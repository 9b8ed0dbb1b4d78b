import Testing

@testable import PushService

@Suite struct LineCuttingTests {
    private func lines(_ text: String, maximum: Int = 10, step: Int, atMost: Int = 500) -> [LineCutting.Line] {
        var cutting = LineCutting(maximum: maximum)
        var lines: [LineCutting.Line] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: step) {
            cutting.append(bytes[start..<min(start + step, bytes.count)])
            while let more = cutting.next(atMost: atMost) {
                #expect(more.count <= atMost)
                lines += more
            }
        }
        if let last = cutting.finish() { lines.append(last) }
        return lines
    }

    @Test(arguments: 1...20)
    func `lines are the same however the bytes arrive`(step: Int) {
        let expected: [LineCutting.Line] = [
            .init(number: 1, bytes: Array("one".utf8)), .init(number: 3, bytes: Array("two".utf8)),
            .init(number: 5, bytes: nil), .init(number: 6, bytes: Array("0123456789".utf8)),
            .init(number: 7, bytes: Array("end".utf8)),
        ]
        let text = "one\n\ntwo\r\n  \n01234567890\n0123456789\nend"
        for atMost in 1...4 { #expect(lines(text, step: step, atMost: atMost) == expected) }
    }

    @Test func `many short lines are cut in groups, and the rest stays bytes`() {
        var cutting = LineCutting(maximum: 10)
        cutting.append(Array(String(repeating: "x\n", count: 1200).utf8))
        #expect((0..<3).map { _ in cutting.next(atMost: 500)?.count } == [500, 500, 200])
        #expect(cutting.next(atMost: 500) == nil && cutting.finish() == nil)
    }

    @Test func `a last line that is too long is noticed`() {
        #expect(lines("01234567890", step: 4) == [.init(number: 1, bytes: nil)])
        #expect(lines("", step: 1).isEmpty && lines("\n", step: 1).isEmpty)
    }
}
