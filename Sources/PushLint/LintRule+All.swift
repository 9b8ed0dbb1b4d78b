extension LintRule {
    /// All rules: first those about the text of the payload, then those about its contents, then those about headers.
    public static let all: [LintRule] =
        TextRules.rules + ShapeRules.rules + ForeignRules.rules + KeyRules.rules + TypeRules.rules + AlertRules.rules
        + SoundRules.rules
        + VisibilityRules.rules + LiveActivityRules.rules + TranslationRules.rules + KindRules.rules + TopicRules.rules
        + TopicShapeRules.rules + HeaderRules.rules
        + BroadcastRules.rules + CertificateRules.rules + DeviceRules.rules
        + PlaceholderRules.rules

    /// Returns the rule with this id or alias. Upper and lower case are equal.
    ///
    /// - Parameter name: An id such as `background-visible`, or an alias such as `L1`.
    /// - Returns: The rule; `nil` if there is none.
    public static func find(_ name: String) -> LintRule? {
        let name = name.lowercased()
        return byID[name] ?? all.first { $0.aliases.contains { $0.lowercased() == name } }
    }

    static let byID: [String: LintRule] = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
}
