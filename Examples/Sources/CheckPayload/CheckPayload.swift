import MockRun
import PushLint
import PushProvider

/// Checks and repairs payloads; nothing is sent. The samples are those of PushLint's documentation.
@main
struct CheckPayload {
    static func main() throws {
        try textIsChecked()
        try requestIsChecked()
        try notificationIsChecked()
        try textIsRepaired()
        try ruleIsExplained()
        print("All checks passed.")
    }

    private static func textIsChecked() throws {
        let json = Array(#"{"aps": {"alert": "Order 42", "contentAvailable": 1,}}"#.utf8)
        for finding in PayloadLint.findings(in: json) {
            print("\(finding.severity): \(finding) [\(finding.rule)]")
        }

        let rules = Set(PayloadLint.findings(in: json).map(\.rule))
        try check(rules.isSuperset(of: ["misspelt-key", "extra-comma"]), "both mistakes are found: \(rules)")
    }

    private static func requestIsChecked() throws {
        let json = Array(#"{"aps": {"content-available": 1}}"#.utf8)

        let context = LintContext(topic: "com.example.app", pushType: .background, priority: .immediate)
        let findings = PayloadLint.findings(in: json, context)

        try check(findings.contains { $0.rule == "background-priority" }, "the priority is wrong: \(findings)")
    }

    private static func notificationIsChecked() throws {
        let deviceToken = try DeviceToken(String(repeating: "5f3ad1c07b9e4286", count: 4))

        let notification = PushNotification(
            to: deviceToken, topic: "com.example.app", payload: .background(), priority: .immediate)
        let errors = notification.findings().filter { $0.severity == .error }

        try check(errors.map(\.rule) == ["background-priority"], "the priority is wrong: \(errors)")
    }

    private static func textIsRepaired() throws {
        let json = Array(#"{"aps": {"alert": "Order 42", "contentAvailable": 1,}}"#.utf8)

        let repair = PayloadLint.repaired(json)
        print(String(decoding: repair.json, as: UTF8.self))
        print("\(repair.mended.count) repaired, \(repair.left.count) left")

        let expected = #"{"aps": {"alert": "Order 42", "content-available": 1}}"#
        try check(repair.json == Array(expected.utf8), "both mistakes are repaired")
    }

    private static func ruleIsExplained() throws {
        if let rule = LintRule.find("sound-file") {
            print("\(rule.title). \(rule.explanation) \(rule.remedy)")
        }

        try check(LintRule.find("sound-file") != nil, "the rule is known")
    }
}
