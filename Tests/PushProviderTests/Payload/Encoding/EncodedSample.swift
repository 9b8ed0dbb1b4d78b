import Foundation

/// A value with everything in it that a payload may carry, drawn from a seed.
struct EncodedSample: Codable, Equatable, Sendable {
    enum Mood: String, Codable, CaseIterable { case calm, stormy }
    enum Choice: Codable, Equatable { case none, some(Int, label: String) }

    var flag: Bool
    var integers: [Int]
    var small: Int8
    var large: UInt64
    var signed: Int64
    var real: Double
    var single: Float
    var text: String
    var date: Date
    var data: Data
    var url: URL
    var id: UUID
    var decimal: Decimal
    var absent: String?
    var present: Int?
    var holes: [Int?]
    var named: [String: Double]
    var numbered: [Int: String]
    var mood: Mood
    var choice: Choice
    var parts: [EncodedSample]
    var byName: [String: [EncodedSample]]

    init(using generator: inout some RandomNumberGenerator, depth: Int = 2) {
        flag = .random(using: &generator)
        integers = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            [Int.min, -1, 0, 1, .max, .random(in: -1000...1000, using: &generator)].randomElement(using: &generator)
                ?? 0
        }
        small = .random(in: .min ... .max, using: &generator)
        large = [0, UInt64.max, .random(in: 0 ... .max, using: &generator)].randomElement(using: &generator) ?? 0
        signed = [Int64.min, .max, 0].randomElement(using: &generator) ?? 0
        real =
            [
                0, -0.5, 0.1, 1e-7, 1e22, .leastNonzeroMagnitude, 1.7976931348623157e308,
                .random(in: -1...1, using: &generator),
            ]
            .randomElement(using: &generator) ?? 0
        single = [0.1, 3.4028235e38, .leastNonzeroMagnitude, -2.5].randomElement(using: &generator) ?? 0
        text =
            ["", "plain", "qu\"o\\te", "line\nbreak\t\u{1}\u{1F}", "ünï 🚀👩‍👩‍👧", "a/b", "\u{2028}", "\u{7F}"]
            .randomElement(using: &generator) ?? ""
        date = Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &generator))
        data = Data(
            (0..<Int.random(in: 0...5, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) })
        url = URL(string: "https://example.com/a%20b?q=\(small)#f") ?? URL(filePath: "/")
        id = withUnsafeBytes(of: (generator.next(), generator.next())) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
        decimal = Decimal(sign: .minus, exponent: -3, significand: Decimal(Int.random(in: 0...9999, using: &generator)))
        absent = nil
        present = flag ? 7 : nil
        holes = [1, nil, 3]
        named = ["pi": 3.25, "": -1]
        numbered = [3: "three", -1: "minus one"]
        mood = Mood.allCases.randomElement(using: &generator) ?? .calm
        choice = flag ? .none : .some(3, label: text)
        let parts =
            depth == 0
            ? [] : (0..<Int.random(in: 0...2, using: &generator)).map { _ in Self(using: &generator, depth: depth - 1) }
        self.parts = parts
        byName = depth == 0 ? [:] : ["some": parts, "none": []]
    }
}
