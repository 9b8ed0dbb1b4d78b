public import PushProvider

extension PayloadLint {
    /// The result of a repair: a payload in which all certain repairs are done.
    public struct Repair: Sendable {
        /// The repaired text; unchanged if nothing could be repaired.
        public let json: [UInt8]
        /// The repaired findings, with their positions in the text before the repair.
        public let mended: [PushFinding]
        /// The remaining findings, with their positions in the new text.
        public let left: [PushFinding]
    }

    /// Repairs all mistakes that have only one possible correction.
    ///
    /// All other bytes stay unchanged.
    /// - Parameters:
    ///   - json: The text of the payload.
    ///   - context: The known parts of the request.
    /// - Returns: The repaired text, the repaired findings and the remaining findings.
    public static func repaired(_ json: [UInt8], _ context: LintContext = LintContext()) -> Repair {
        var work = RepairWork(bytes: json, context: context)
        let mended = work.mendAll()
        return Repair(json: work.bytes, mended: mended, left: findings(in: work.bytes, work.context))
    }
}
