import TestSupport
import Testing

@testable import PushCampaign
@testable import PushProvider

/// The journal as bytes, and what it tells.
struct JournalTests {
    private static let blocks: [JournalBlock] = [
        .campaign(Array(#"{"id":"1"}"#.utf8)),
        .mark(InputPosition(index: 4, file: 1, offset: 70_000, line: 9), digest: .max),
        .outcomes(
            [
                .init(index: 2, end: .accepted), .init(index: 0, end: .rejected), .init(index: 3, end: .released),
                .init(index: 1, end: .unknown),
            ],
            OutputSizes(results: 1, gone: 300, again: 70_000, unknown: 1 << 40)),
        .intent([3]),
        .mark(InputPosition(index: 6, file: 1, offset: 80_000, line: 12), digest: 7),
        .outcomes([.init(index: 3, end: .notSent)], OutputSizes(results: 2)),
        .end(lines: 6),
    ]

    private static func bytes(_ blocks: [JournalBlock]) -> [UInt8] {
        blocks.reduce(into: []) { $1.write(to: &$0) }
    }

    /// Takes in all of a journal, up to where it was torn.
    ///
    /// - Returns: `false` when it is damaged in the middle.
    private static func read(_ bytes: [UInt8], into replay: inout JournalReplay) -> Bool {
        let before = replay.length
        _ = replay.add(bytes)
        return !JournalReplay.hasBlock(bytes[(replay.length - before)...])
    }

    /// Each has a right checksum. Without a bound, a few of these bytes need memory without end, or a sum overflows.
    @Test(arguments: [
        JournalBlock.outcomes([.init(index: 1 << 40, end: .accepted)], OutputSizes()),
        .outcomes([.init(index: -1, end: .accepted)], OutputSizes()),
        .outcomes([.init(index: 6, end: .released)], OutputSizes()),
        .outcomes([], OutputSizes(results: .max)),
        .mark(InputPosition(index: .max, file: 0, offset: 0, line: 1), digest: 0),
        .mark(InputPosition(index: 6 + 4097, file: 0, offset: 0, line: 1), digest: 0),
        .mark(InputPosition(index: 5, file: 0, offset: 0, line: 1), digest: 0),
        .mark(InputPosition(index: 7, file: 0, offset: 0, line: .max), digest: 0),
        .mark(InputPosition(index: 7, file: 0, offset: .max, line: 1), digest: 0),
        .intent([1 << 40]), .intent([-1]), .end(lines: .max),
    ])
    func `a block that no campaign writes makes the journal damaged, also as the last one`(forged: JournalBlock) {
        var replay = JournalReplay()
        let isWhole = replay.add(Self.bytes(Self.blocks + [forged]))
        #expect(!isWhole && replay.isImpossible)
        #expect(replay.marked == 6)
    }

    @Test func `blocks are read as they were written`() {
        var rest = Self.bytes(Self.blocks)[...]
        for block in Self.blocks {
            guard case .block(let read, let length) = JournalBlock.read(rest) else {
                Issue.record("no block")
                return
            }
            #expect(read == block)
            rest = rest.dropFirst(length)
        }
        #expect(rest.isEmpty)
    }

    @Test func `it tells which lines have ended, which may have gone out, and which have not`() {
        var replay = JournalReplay()
        let isWhole1 = Self.read(Self.bytes(Array(Self.blocks.prefix(3))), into: &replay)
        #expect(isWhole1)
        replay.countLastBlock()
        #expect((0..<6).map(replay.line) == [.ended, .ended, .ended, .open, .open, .open])
        let isWhole2 = Self.read(Self.bytes(Array(Self.blocks[3...4])), into: &replay)
        #expect(isWhole2)
        replay.countLastBlock()
        #expect((0..<7).map(replay.line) == [.ended, .ended, .ended, .interrupted, .interrupted, .interrupted, .open])
        #expect(replay.start.position == InputPosition())
        let isWhole3 = Self.read(Self.bytes(Array(Self.blocks[5...])), into: &replay)
        #expect(isWhole3)
        replay.countLastBlock()
        #expect(replay.start.position.index == 4)
        #expect(replay.counts == [.accepted: 1, .rejected: 1, .unknown: 1, .notSent: 1])
        #expect(!replay.isFinished)
        replay.add(
            .outcomes([.init(index: 5, end: .accepted), .init(index: 4, end: .accepted)], OutputSizes()), length: 0)
        replay.countLastBlock()
        #expect(replay.isFinished)
    }

    @Test func `every outcome is read as it was written, and it tells what may have been sent`() {
        let outcomes = JournalEnd.allCases.enumerated().map { JournalBlock.Outcome(index: $0, end: $1) }
        let bytes = Self.bytes([.mark(InputPosition(index: 10), digest: 0), .outcomes(outcomes, OutputSizes())])
        var replay = JournalReplay()
        let isWhole = Self.read(bytes, into: &replay)
        replay.countLastBlock()
        #expect(isWhole)
        let sent = outcomes.filter { replay.mayHaveBeenSent($0.index) }.map(\.end)
        #expect(sent == [.accepted, .rejected, .unknown, .returned])
        #expect(replay.mayHaveBeenSent(9) && !replay.mayHaveBeenSent(10))
        #expect(replay.counts[.superseded] == 1)
    }

    @Test func `torn at any byte, it tells what was written whole before`() {
        let bytes = Self.bytes(Self.blocks)
        var whole = 0
        var ends: [Int] = []
        for block in Self.blocks { ends.append((ends.last ?? 0) + Self.bytes([block]).count) }
        for length in 0...bytes.count {
            if whole < ends.count, length == ends[whole] { whole += 1 }
            var replay = JournalReplay()
            let isWhole4 = Self.read(Array(bytes[..<length]), into: &replay)
            #expect(isWhole4)
            var expected = JournalReplay()
            for (number, block) in Self.blocks.prefix(whole).enumerated() {
                expected.add(block, length: Self.bytes([block]).count)
                #expect(number < whole)
            }
            #expect(replay == expected)
        }
    }

    @Test func `a byte that was changed in the middle is not passed over`() {
        let bytes = Self.bytes(Self.blocks)
        let last = Self.bytes([Self.blocks[6]]).count
        for index in bytes.indices.dropLast(last) {
            var damaged = bytes
            damaged[index] ^= 0x10
            var replay = JournalReplay()
            let isWhole5 = Self.read(damaged, into: &replay)
            #expect(!isWhole5, "\(index)")
        }
    }

    @Test func `an end of garbage is a torn end`() {
        let bytes = Self.bytes(Self.blocks)
        for garbage in [[UInt8](repeating: 0, count: 5000), [UInt8](repeating: 0xFF, count: 5000)] {
            var replay = JournalReplay()
            let isWhole6 = Self.read(bytes + garbage, into: &replay)
            #expect(isWhole6)
            #expect(replay.length == bytes.count)
        }
    }

    @Test func `outcomes whose results were not written do not count, now and later`() {
        var replay = JournalReplay()
        let first = JournalBlock.outcomes([.init(index: 0, end: .accepted)], OutputSizes(results: 100))
        let torn = JournalBlock.outcomes([.init(index: 1, end: .accepted)], OutputSizes(results: 200))
        for block in [.mark(InputPosition(index: 3), digest: 0), first, torn] { replay.add(block, length: 0) }
        var later = replay
        replay.countLastBlock(results: 199)
        #expect(replay.isTorn)
        #expect((0..<3).map(replay.line) == [.ended, .interrupted, .interrupted])
        #expect(replay.sizes == OutputSizes(results: 100))
        // The run that has found it out says so.
        later.add(.outcomes([], OutputSizes(results: 100)), length: 0)
        later.add(.outcomes([.init(index: 2, end: .accepted)], OutputSizes(results: 250)), length: 0)
        later.countLastBlock(results: 250)
        #expect((0..<3).map(later.line) == [.ended, .interrupted, .ended])
    }

    @Test func `a line that was released and let go out again stays marked`() {
        var replay = JournalReplay()
        replay.add(.mark(InputPosition(index: 1), digest: 0), length: 0)
        replay.add(.outcomes([.init(index: 0, end: .released)], OutputSizes()), length: 0)
        var again = replay
        replay.countLastBlock()
        #expect(replay.line(0) == .open)
        again.add(.intent([0]), length: 0)
        again.countLastBlock()
        #expect(again.line(0) == .interrupted)
    }

    @Test func `a line that was started and not accepted may be sent again, and stays started`() {
        var replay = JournalReplay()
        for end in [JournalEnd.returned, .released, .notSent] {
            let bytes = Self.bytes([
                .mark(InputPosition(index: 1), digest: 0), .outcomes([.init(index: 0, end: end)], OutputSizes()),
            ])
            let isWhole = replay.add(bytes)
            #expect(isWhole)
            replay.countLastBlock()
            #expect(replay.line(0) == (end == .notSent ? .ended : .open))
            #expect(replay.mayHaveBeenSent(0))
        }
    }

    @Test func `only a block with a line that was started has a kind that older versions refuse`() {
        let kinds = JournalEnd.allCases.map { end in
            Self.bytes([.outcomes([.init(index: 0, end: end)], OutputSizes())])[8]
        }
        #expect(kinds == Array("OOOOOOOOP".utf8))
    }

    @Test func `marks of single lines are put together, and still tell changed lines`() {
        let rows = (0..<1200).map { Array("line \($0)".utf8) }
        var replay = JournalReplay()
        for (index, row) in rows.enumerated() {
            var digest = QuickDigest()
            digest.add(row)
            replay.add(.mark(InputPosition(index: index + 1, line: index + 2), digest: digest.value), length: 0)
        }
        #expect(replay.marks.map(\.position.index) == [500, 1000, 1200])
        #expect(replay.marks[1].fits(Array(rows[500..<1000])))
        #expect(replay.marks[2].fits(Array(rows[1000...])))
        var changed = Array(rows[500..<1000])
        changed.swapAt(7, 8)
        #expect(!replay.marks[1].fits(changed))
        #expect(!replay.marks[1].fits(Array(rows[500..<999])))
        // What was marked by the handful is not put together with it.
        var digest = QuickDigest()
        for row in rows[..<7] { digest.add(row) }
        replay.add(.mark(InputPosition(index: 1207), digest: digest.value), length: 0)
        #expect(replay.marks.count == 4)
        #expect(replay.marks[3].fits(Array(rows[..<7])))
        #expect(!replay.marks[3].fits(Array(rows[1..<8])))
    }

    @Test func `a line costs a few bytes`() {
        var random = SeededGenerator(seed: 5)
        var bytes: [UInt8] = []
        let count = 100_000
        for start in stride(from: 0, to: count, by: 500) {
            JournalBlock.mark(
                InputPosition(index: start + 500, file: 0, offset: start * 200, line: start + 501),
                digest: random.next()
            ).write(to: &bytes)
            let ends = (start..<start + 500).shuffled(using: &random).map {
                JournalBlock.Outcome(index: $0, end: .accepted)
            }
            JournalBlock.outcomes(ends, OutputSizes(results: start * 200)).write(to: &bytes)
        }
        #expect(bytes.count < 4 * count)
    }

    @Test(arguments: 1...20) func `the lines that have ended, against a set`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var states = LineStates()
        var set: Set<Int> = []
        var next = 0
        var open: [Int] = []
        for _ in 0..<30_000 {
            if open.isEmpty || Bool.random(using: &random) {
                open.append(next)
                next += 1
            } else {
                // One in a while is overtaken by many.
                let index = Int.random(
                    in: open.count > 200 ? 0..<1 : min(1, open.count - 1)..<open.count, using: &random)
                let line = open.remove(at: index)
                states.add(line)
                set.insert(line)
            }
        }
        let low = (0...next).first { !set.contains($0) } ?? 0
        #expect(states.low == low)
        for index in 0..<next + 100 where states.has(index) != set.contains(index) { Issue.record("\(index)") }
    }
}
