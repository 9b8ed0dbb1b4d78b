import PushPlatform

/// Random numbers of the system, which are fetched in groups: a call for each costs more than a row.
package struct RandomNumberBuffer {
    private var numbers: [UInt64] = []
    private var generator = SystemRandomNumberGenerator()

    package init() {}

    package mutating func next() -> UInt64 {
        if numbers.isEmpty { fetch() }
        return numbers.popLast() ?? generator.next()
    }

    private mutating func fetch() {
        // 256 bytes is the maximum of getentropy.
        var fetched = [UInt64](repeating: 0, count: 32)
        let result = fetched.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
        if result == 0 { numbers = fetched }
    }
}
