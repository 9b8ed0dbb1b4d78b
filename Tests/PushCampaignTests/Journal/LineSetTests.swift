import TestSupport
import Testing

@testable import PushCampaign
@testable import PushProvider

/// A set of lines, against the one of the standard library.
struct LineSetTests {
    @Test(arguments: 1...8) func `it holds what was put into it and not taken out`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (lines, expected) = (LineSet(), Set<Int>())
        for _ in 0..<5000 {
            let index = Int.random(in: 0..<1000, using: &generator)
            if Bool.random(using: &generator) {
                lines.insert(index)
                expected.insert(index)
            } else {
                lines.remove(index)
                expected.remove(index)
            }
        }
        #expect(lines.count == expected.count)
        #expect((0..<1000).allSatisfy { lines.contains($0) == expected.contains($0) })
    }

    @Test func `what is empty again is as it was`() {
        var lines = LineSet()
        for index in [0, 63, 64, 1 << 40] { lines.insert(index) }
        for index in [0, 63, 64, 1 << 40] { lines.remove(index) }
        #expect(lines == LineSet())
    }
}
