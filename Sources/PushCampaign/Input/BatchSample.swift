/// A sample of the lines of a campaign.
public enum BatchSample: Sendable, Hashable {
    case first(Int)
    /// This number of lines, chosen at random with equal probability; all lines if there are not more. Choosing them requires an
    /// extra pass over all lines, so the lines must be in files. A campaign that continues has the same sample.
    case random(Int)

    /// The maximum number of lines.
    public var count: Int {
        switch self {
        case .first(let count), .random(let count): count
        }
    }
}

/// The lines of a random sample: those with the smallest numbers. The number of a line is computed from a seed and its
/// index, and no two lines share one. So only the largest chosen number is stored, and reading can begin anywhere. A
/// pure value.
struct ChosenLines: Equatable {
    private let seed: UInt64
    /// The largest chosen number.
    private let maximum: UInt64?

    struct SmallestNumbers {
        private let seed: UInt64
        private let count: Int
        /// The smallest numbers so far, as a heap with the largest of them first.
        private var smallest: [UInt64] = []

        init(_ count: Int, seed: UInt128) {
            self.seed = UInt64(truncatingIfNeeded: seed) ^ UInt64(truncatingIfNeeded: seed >> 64)
            self.count = count
        }

        mutating func see(file: Int, line: Int) {
            let number = ChosenLines.number(seed, file, line)
            if smallest.count < count {
                smallest.append(number)
                siftUp(smallest.count - 1)
            } else if let largest = smallest.first, number < largest {
                smallest[0] = number
                siftDown()
            }
        }

        private mutating func siftUp(_ start: Int) {
            var child = start
            while child > 0, smallest[(child - 1) / 2] < smallest[child] {
                smallest.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        }

        private mutating func siftDown() {
            var parent = 0
            while case let left = 2 * parent + 1, left < smallest.count {
                let right = left + 1
                let larger = right < smallest.count && smallest[right] > smallest[left] ? right : left
                guard smallest[larger] > smallest[parent] else { return }
                smallest.swapAt(larger, parent)
                parent = larger
            }
        }

        var lines: ChosenLines { ChosenLines(seed: seed, maximum: smallest.first) }
    }

    func contains(file: Int, line: Int) -> Bool {
        guard let maximum else { return false }
        return Self.number(seed, file, line) <= maximum
    }

    /// Returns a different number for each line of each file.
    private static func number(_ seed: UInt64, _ file: Int, _ line: Int) -> UInt64 {
        var word =
            seed &+ (UInt64(truncatingIfNeeded: file) << 48 ^ UInt64(truncatingIfNeeded: line)) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
