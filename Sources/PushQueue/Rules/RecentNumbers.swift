/// The numbers of the last keys that were added.
struct RecentNumbers<Key: Hashable> {
    /// The maximum number of keys. Each more takes the place of the oldest one.
    let most: Int

    private var numbers: [Key: Int64] = [:]
    /// The keys as a ring.
    private var keys: [Key] = []
    private var oldest = 0

    init(most: Int) {
        self.most = most
    }

    subscript(key: Key) -> Int64? { numbers[key] }

    mutating func add(_ number: Int64, for key: Key) {
        guard numbers.updateValue(number, forKey: key) == nil else { return }
        if keys.count < most { return keys.append(key) }
        numbers[keys[oldest]] = nil
        keys[oldest] = key
        oldest = (oldest + 1) % most
    }

    mutating func removeAll() {
        guard !keys.isEmpty else { return }
        numbers.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        oldest = 0
    }
}
