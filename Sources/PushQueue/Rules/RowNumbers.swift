/// Chooses the numbers of rows: in the order of due times, and next to each other for jobs that are due together.
package struct RowNumbers {
    /// Creates the numbers of a process that has not chosen any yet.
    package init() {}

    /// The last number for a due time.
    private var last: [Int64: Int64] = [:]

    /// The number of due times that are remembered.
    private static let most = 4096

    /// The number of a row for a job that is due at a time, in milliseconds. If another process has taken it, the caller calls again
    /// with the number of collisions so far. With each, the number is chosen from a wider range.
    package mutating func next(due: Int64, collisions: Int = 0, random: UInt64) -> Int64 {
        let number: Int64
        if collisions == 0, let before = last[due] {
            number = before + 1
        } else {
            // Processes begin at different numbers. Half of the range stays free for the jobs that follow.
            let milliseconds: UInt64 = collisions < 2 ? 1 : 1 << UInt64(min(3 * collisions, 24))
            number = due << 20 + Int64(random % (milliseconds << 19))
        }
        if last.count >= Self.most { last.removeAll(keepingCapacity: true) }
        last[due] = number
        return number
    }
}
