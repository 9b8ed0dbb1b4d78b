internal import PushProvider

/// Rules about the device token alone. They apply only if the notification is sent to Apple: a mock accepts any hex digits.
enum DeviceRules {
    static let rules: [LintRule] = [
        LintRule(
            "device-token-length", .warning, title: "A device token has a typical length",
            explanation: """
                Apple doesn't document a length, and no length is refused. Today device tokens of apps have 64 hex \
                digits, those of Live Activities have 160, and some of simulators have more. A shorter token is usually \
                an incomplete copy. APNs answers BadDeviceToken.
                """,
            remedy: "Copy the complete device token that the app prints.", source: RuleSource.seen, check: .elsewhere)
    ]

    /// The usual lengths on devices, in hex digits.
    private static let appDigits = 64
    private static let activityDigits = 160

    static func length(of token: DeviceToken) -> PushFinding? {
        let count = token.hex.utf8.count
        guard count != appDigits, count != activityDigits else { return nil }
        return PushFinding(
            severity: .warning, rule: "device-token-length", subject: "device token",
            problem: "\"\(token)\" has \(count) hex digits. Today device tokens of apps have \(appDigits).",
            advice: count < appDigits
                ? "Copy the complete device token that the app prints."
                : "Copy the device token that the app prints. Only those of simulators are longer.")
    }
}
