import TestSupport
import Testing

@testable import PushCampaign
@testable import PushProvider

/// Lines that are chosen by chance.
struct BatchSampleTests {
    private static func chosen(_ count: Int, of lines: Int, seed: UInt128) -> [Int] {
        var smallest = ChosenLines.SmallestNumbers(count, seed: seed)
        for line in 0..<lines { smallest.see(file: line % 3, line: line / 3 + 1) }
        let chosen = smallest.lines
        return (0..<lines).filter { chosen.contains(file: $0 % 3, line: $0 / 3 + 1) }
    }

    @Test func `as many as asked for, the same ones each time, others for another campaign`() {
        for count in [1, 2, 10, 499, 500] {
            #expect(Self.chosen(count, of: 500, seed: 7).count == count)
        }
        #expect(Self.chosen(1000, of: 500, seed: 7) == Array(0..<500))
        #expect(Self.chosen(3, of: 0, seed: 7).isEmpty)
        #expect(Self.chosen(20, of: 500, seed: 7) == Self.chosen(20, of: 500, seed: 7))
        #expect(Self.chosen(20, of: 500, seed: 7) != Self.chosen(20, of: 500, seed: 8))
    }

    /// Five deviations from what chance makes of them: once in a million seeds, and these are always the same.
    @Test func `each line has the same chance`() {
        var hits = [Int](repeating: 0, count: 100)
        for seed in 0..<2000 {
            for line in Self.chosen(10, of: 100, seed: UInt128(seed) << 64 | UInt128(seed * 31)) { hits[line] += 1 }
        }
        #expect(hits.allSatisfy { (133...267).contains($0) })
    }

    @Test func `of files, wherever reading begins; and not of what can be read only once`() async throws {
        let index = try TemporaryFolder()
        let names = ["a", "b"].map(index.path)
        for (number, name) in ["a", "b"].enumerated() {
            let lines = (0..<300).map { "\(String(number + 0xa0, radix: 16))\(String($0 + 0x1000, radix: 16))" }
            try index.write(lines.joined(separator: "\n\n").utf8, to: name)
        }
        let template = try PayloadTemplate(json: #"{"aps":{"alert":"Hello"}}"#.utf8)
        func rows() -> FileRows {
            FileRows(names, format: nil, RowReader(BatchDefaults(topic: "com.example.app", template: template)))
        }
        var whole = rows()
        try await whole.choose(50, seed: 3) { false }
        var tokens: [String] = []
        var positions: [InputPosition] = []
        while let line = try await whole.next(1, unless: { false }).first {
            tokens.append(line.row.map { String(decoding: $0.text, as: UTF8.self) } ?? "")
            positions.append(whole.position)
        }
        #expect(Set(tokens).count == 50)
        #expect(positions.last?.index == 50)
        for start in [0, 20, 48] {
            var late = rows()
            try await late.choose(50, seed: 3) { false }
            try await late.seek(positions[start])
            let rest = try await late.next(100) { false } + late.next(100) { false }
            let texts = rest.compactMap { $0.row.map { String(decoding: $0.text, as: UTF8.self) } }
            #expect(texts == Array(tokens[(start + 1)...]))
        }
        var pipe = FileRows(["-"], format: nil, RowReader(BatchDefaults(topic: "a")))
        await #expect(throws: BatchInputError.self) { try await pipe.choose(1, seed: 1) { false } }
    }
}
