public import PushProvider

extension Lint {
    /// A payload in which everything was mended that can be mended for certain.
    public struct Repair: Sendable {
        /// The text as it is now; the same as before when nothing could be mended.
        public let json: [UInt8]
        /// What was mended, with the places that it had when it was found.
        public let mended: [Finding]
        /// What is left, as it is found in the new text.
        public let left: [Finding]
    }

    /// Mends what can be mended for certain: what else could be meant is left as it is.
    ///
    /// What is changed is changed in its place; everything else stays byte for byte.
    /// - Parameters:
    ///   - json: The text of the payload.
    ///   - context: What is known of the request.
    /// - Returns: The text, what was done, and what is left to do.
    public static func repaired(_ json: [UInt8], _ context: LintContext = LintContext()) -> Repair {
        var work = RepairWork(bytes: json, context: context)
        let mended = work.mendAll()
        return Repair(json: work.bytes, mended: mended, left: findings(in: work.bytes, work.context))
    }
}
