package import PushPlatform

/// The record in a file that its queue is being moved to a server, or was moved. From then on, only the move changes
/// the queue.
package struct MoveMark: Sendable, Hashable {
    /// The id of the move, which the target also stores.
    package var id: UUID
    /// The address of the target, without its password.
    package var address: String
    /// When the file was closed, by its steady clock. Keys that had expired by then are not moved.
    package var closed: SteadyTime
    /// Whether everything has arrived.
    package var isDone: Bool

    package init(id: UUID, address: String, closed: SteadyTime, isDone: Bool = false) {
        (self.id, self.address, self.closed, self.isDone) = (id, address, closed, isDone)
    }

    /// The kind of the record that has the mark in the file. In the target, the records of this kind have the progress of moves.
    package static let kind = "queue_move"
    /// The key of the record in the file.
    package static let key = "source"

    private static let separator: UInt8 = 0

    package var bytes: [UInt8] {
        let parts = [isDone ? "moved" : "moving", id.uuidString, "\(closed.milliseconds)", address]
        return Array(parts.joined(separator: "\0").utf8)
    }

    /// Reads what ``bytes`` has written. A mark that cannot be understood also keeps the file closed.
    package init(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: Self.separator, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        func part(_ index: Int) -> String { parts.indices.contains(index) ? parts[index] : "" }
        isDone = part(0) == "moved"
        id = UUID(uuidString: part(1)) ?? UUID(0, 0)
        closed = SteadyTime(milliseconds: Int64(part(2)) ?? 0)
        address = part(3)
    }
}
