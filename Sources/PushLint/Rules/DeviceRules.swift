internal import PushProvider

/// What can be told of a device token alone. It is told where a notification goes to Apple: a mock takes any hex.
enum DeviceRules {
    static let rules: [LintRule] = [
        LintRule(
            "device-token-length", .warning, title: "A device token has a length that is seen",
            explanation: """
                Apple promises no length, and none is refused. Today the tokens of apps have 64 hex digits, those of Live Activities 160, \
                and some of simulators more. One that is shorter was most often cut off in copying; APNs answers BadDeviceToken.
                """,
            remedy: "Take the token whole, as the app prints it.", source: RuleSource.seen, check: .device)
    ]

    /// The lengths that are seen on devices, in hex digits.
    private static let appDigits = 64
    private static let activityDigits = 160

    static func length(of token: DeviceToken) -> Finding? {
        let count = token.hex.utf8.count
        guard count != appDigits, count != activityDigits else { return nil }
        return Finding(
            severity: .warning, rule: "device-token-length", place: "device token",
            problem: "\"\(token)\" has \(count) hex digits, and today the tokens of apps have \(appDigits).",
            advice: count < appDigits
                ? "Was it cut off in copying? Take it whole, as the app prints it."
                : "Those of simulators are longer; otherwise take it as the app prints it.")
    }
}
