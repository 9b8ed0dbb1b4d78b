package import PushPlatform

/// Why a queue sends and accepts nothing. It is a record of the queue, so it survives restarts.
package enum QueueSeal: Sendable, Hashable {
    case exported(QueueExport)
    /// An import into the queue is not complete.
    case importing(QueueImport)
    /// An earlier version was moving the queue to a server, or has done so.
    case moved(address: String, isDone: Bool)

    package static let kind = "queue_seal"
    /// The kind of the record with which earlier versions closed a file, and with which its targets know a move.
    package static let kindOfMoves = "queue_move"
    /// The kinds of records that have no meaning in another queue.
    package static let kinds: Set<String> = [
        kind, kindOfMoves, QueueImport.kindOfDone, QueueIdentity.kind, QueueErasure.kind,
    ]

    package var bytes: [UInt8] {
        switch self {
        case .exported(let export):
            SealText.bytes([
                "exported", export.id.uuidString, "\(export.sealed.milliseconds)", "\(export.steady.milliseconds)",
                export.target?.uuidString ?? "",
            ])
        case .importing(let progress): SealText.bytes(["importing"] + progress.parts)
        case .moved(let address, let isDone): SealText.bytes([isDone ? "moved" : "moving", "", "", address])
        }
    }

    /// A seal that cannot be understood also keeps the queue sealed.
    package init(_ bytes: [UInt8]) {
        let text = SealText(bytes)
        if text[0] == "exported", let export = QueueExport(text) {
            self = .exported(export)
        } else if text[0] == "importing", let progress = QueueImport(text, from: 1) {
            self = .importing(progress)
        } else {
            self = .moved(address: text[3], isDone: text[0] == "moved")
        }
    }
}

package struct QueueExport: Sendable, Hashable {
    /// It stays the same when the export is repeated.
    package var id: UUID
    /// When the queue was sealed, by its wall clock.
    package var sealed: QueueTime
    /// The same by its steady clock.
    package var steady: SteadyTime
    /// The only queue that may import it; `nil` as long as none has begun.
    package var target: UUID?

    package init(id: UUID, sealed: QueueTime, steady: SteadyTime, target: UUID?) {
        (self.id, self.sealed, self.steady, self.target) = (id, sealed, steady, target)
    }

    fileprivate init?(_ text: SealText) {
        guard let id = UUID(uuidString: text[1]), let sealed = Int64(text[2]), let steady = Int64(text[3]) else {
            return nil
        }
        self.init(
            id: id, sealed: QueueTime(milliseconds: sealed), steady: SteadyTime(milliseconds: steady),
            target: UUID(uuidString: text[4]))
    }
}

/// How far the import of an export is. The transaction that stores a batch of lines also stores it.
package struct QueueImport: Sendable, Hashable {
    package var export: UUID
    /// How many lines of the file are stored.
    package var lines: Int
    /// How many things the queue had already. It has kept its own.
    package var present: Int

    /// The kind of the records of complete imports. Their keys are the ids of the exports.
    package static let kindOfDone = "queue_import"

    package init(of export: UUID, lines: Int = 0, present: Int = 0) {
        (self.export, self.lines, self.present) = (export, lines, present)
    }

    package init?(done bytes: [UInt8]) {
        self.init(SealText(bytes), from: 0)
    }

    fileprivate init?(_ text: SealText, from first: Int) {
        guard let export = UUID(uuidString: text[first]), let lines = Int(text[first + 1]),
            let present = Int(text[first + 2])
        else { return nil }
        self.init(of: export, lines: lines, present: present)
    }

    fileprivate var parts: [String] { [export.uuidString, "\(lines)", "\(present)"] }

    package var bytes: [UInt8] { SealText.bytes(parts) }
}

/// The id of a queue. An export names with it the queue that may import it.
package enum QueueIdentity {
    package static let kind = "queue_id"

    /// The first call stores it.
    package static func of(_ queue: any QueueBackend) async throws(QueueError) -> UUID {
        while true {
            let stored = try await queue.record(kind: kind, key: "id")
            if let id = stored.flatMap({ UUID(bytes: $0.value) }) { return id }
            _ = try await queue.store(UUID().bytes, kind: kind, key: "id", ifVersion: stored?.version ?? 0)
        }
    }
}

/// The parts of the value of a record, with a zero byte between them.
private struct SealText {
    private let parts: [String]

    init(_ bytes: [UInt8]) {
        parts = bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    subscript(index: Int) -> String { parts.indices.contains(index) ? parts[index] : "" }

    static func bytes(_ parts: [String]) -> [UInt8] { Array(parts.joined(separator: "\0").utf8) }
}

extension QueueError {
    /// The queue sends and accepts nothing.
    ///
    /// - Parameters:
    ///   - seal: Why.
    ///   - place: The path of the queue, or its address without the password.
    /// - Returns: The error, which says what to do.
    package static func sealed(_ seal: QueueSeal, _ place: String) -> QueueError {
        let reason =
            switch seal {
            case .exported(let export) where export.target == nil:
                """
                is sealed, because it was exported: it sends and accepts nothing. Import the file into PostgreSQL with pushserve queue \
                import, or use this queue again with pushserve queue unseal.
                """
            case .exported(let export):
                """
                is sealed for good, because its jobs belong to the queue \(export.target?.text ?? "") now: it sends and accepts \
                nothing. Use that queue. This one can still be read.
                """
            case .importing:
                """
                is sealed until an import into it is complete: it sends and accepts nothing. To complete it, run pushserve queue import \
                again with the same file.
                """
            case .moved(let address, isDone: true):
                "was moved to \(address). Use that queue. This one can still be read."
            case .moved(let address, isDone: false):
                """
                is being moved to \(address) by "pushserve queue move" of an earlier version, which this one doesn't have. Finish the \
                move with that version. If the target has none of its jobs, remove the record of the move, then export the queue: sqlite3 \
                \(place) "DELETE FROM record WHERE kind = 'queue_move'"
                """
            }
        return QueueError(.sealed, "The queue \(place) \(reason)")
    }
}

extension UUID {
    /// The id in lower case, as everything else writes it.
    package var text: String { uuidString.lowercased() }
}
