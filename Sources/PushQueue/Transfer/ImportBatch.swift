package import PushPlatform

/// Lines of one part that are stored in one transaction.
package struct ImportBatch: Sendable {
    package var export: UUID
    /// When the exported queue was sealed.
    package var sealed: QueueTime
    package var part: ExportPart
    package var rows: [ExportRow]
    /// How many lines of the file come before it.
    package var start: Int
    /// How many lines of the file are stored after it.
    package var end: Int

    package init(
        of export: UUID, sealed: QueueTime, _ part: ExportPart, _ rows: [ExportRow], from start: Int, to end: Int
    ) {
        (self.export, self.sealed, self.part, self.rows) = (export, sealed, part, rows)
        (self.start, self.end) = (start, end)
    }
}
