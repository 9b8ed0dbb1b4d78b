import PushHTTP

/// Notices device tokens that occur twice among the lines of an upload. Such lines are sent: an app may mean it.
struct DoubledTokens {
    /// How many lines have the token of an earlier line of the upload.
    private(set) var count = 0
    private(set) var lines: [Int] = []

    /// The hashes of the tokens. Two of them have the same one with a probability of less than 1 in 100 million.
    private var seen: Set<Int> = []
    private let memory: SharedMemory.Reservation
    /// How many hashes have their memory.
    private var room = 0

    private static let maximumLines = 100
    /// The maximum number of tokens that are remembered. Later ones are only compared with these.
    private static let maximumTokens = 131_072
    /// How many tokens get memory at once, and how many bytes each, also while the set grows.
    private static let (step, size) = (4096, 32)

    /// The tokens are remembered as long as there is memory for clients.
    init(_ memory: SharedMemory.Reservation) {
        self.memory = memory
    }

    mutating func note(_ token: String, line: Int) {
        let hash = token.hashValue
        if seen.contains(hash) {
            count += 1
            if lines.count < Self.maximumLines { lines.append(line) }
        } else if hasRoom() {
            seen.insert(hash)
        }
    }

    private mutating func hasRoom() -> Bool {
        guard seen.count < Self.maximumTokens else { return false }
        if seen.count == room {
            guard (try? memory.grow(by: Self.step * Self.size)) != nil else { return false }
            room += Self.step
        }
        return true
    }
}
