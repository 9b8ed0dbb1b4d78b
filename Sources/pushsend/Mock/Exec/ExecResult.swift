import APNSVocabulary
import MockAPNs
import PushPlatform

/// What a run of `mock exec` found, besides the exit code of its command.
struct ExecResult {
    /// The broken rules, without those that are only a guess about APNs.
    private let rules: [BrokenRule]
    private let unmatched: [RunLedger.Entry<MockArrival>]
    private let unmatchedCount: Int
    private let expectations: [RunLedger.Entry<MockCheckedExpectation>]
    private let failOn: [MockExecCommand.FailOn]

    /// - Parameters:
    ///   - ledger: What the mock and its namespaces have seen. They must have stopped.
    ///   - failOn: What makes the run fail.
    init(_ ledger: RunLedger, failOn: [MockExecCommand.FailOn]) {
        rules = ledger.brokenRules.filter { $0.fact.confidence != .guess }
        unmatched = ledger.unmatched
        unmatchedCount = ledger.unmatchedCount
        expectations = ledger.expectations
        self.failOn = failOn
    }

    /// Whether `--fail-on` found something.
    var fails: Bool {
        failOn.contains(.violations) && !rules.isEmpty || failOn.contains(.unmatched) && unmatchedCount > 0
    }

    /// Says on standard error what `--fail-on` found.
    func complain() {
        if failOn.contains(.violations) {
            for rule in rules {
                let example = rule.firstDetail.map { " The first time: \($0)" } ?? ""
                Output.complain("The client broke the rule \(rule.id) \(Self.sentences(rule))\(example)")
            }
        }
        guard failOn.contains(.unmatched), unmatchedCount > 0 else { return }
        Output.complain(
            "\(counted(unmatchedCount, "request")) arrived that no wait or assert matched.")
        for entry in unmatched.prefix(10) { Output.note("  \(Self.text(entry))") }
    }

    /// Returns "once", the rule, and how certain it is.
    private static func sentences(_ rule: BrokenRule) -> String {
        let statement = rule.fact.statement
        return
            "\(times(rule.count)). \(statement)\(statement.hasSuffix(".") ? "" : ".") This is \(rule.fact.confidence)."
    }

    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

    private static func text(_ entry: RunLedger.Entry<MockArrival>) -> String {
        let arrival = entry.content
        let request = arrival.request
        return """
            \(arrival.number)  \(arrival.verdict.status)  \(request.pushType?.rawValue ?? "no push type")  \
            \(request.topic ?? "no topic")  \(DeviceToken.shortened(arrival.deviceToken))\(suffix(entry.namespace))
            """
    }

    /// Says which namespace it was; nothing for the mock from the start.
    private static func suffix(_ namespace: String?) -> String { namespace.map { "  in namespace \($0)" } ?? "" }

    // MARK: JUnit

    /// The results as JUnit's XML.
    ///
    /// - Parameter exitCode: The exit code of the command.
    /// - Returns: The text of the file.
    func junit(exitCode: Int32) -> String {
        var cases: [String] = []
        func add(_ name: String, failure: String?) {
            let start = "    <testcase classname=\"pushsend.mock\" name=\"\(Self.escaped(name))\""
            cases.append(
                failure.map { "\(start)>\n      <failure message=\"\(Self.escaped($0))\"/>\n    </testcase>" }
                    ?? "\(start)/>")
        }
        add("the command succeeds", failure: exitCode == 0 ? nil : "The exit code is \(exitCode).")
        if failOn.contains(.violations) {
            for rule in rules {
                add("rule \(rule.id)", failure: "The client broke this rule \(Self.sentences(rule))")
            }
            if rules.isEmpty { add("no rule of APNs is broken", failure: nil) }
        }
        for entry in expectations {
            let expectation = entry.content
            add(
                expectation.name + Self.suffix(entry.namespace),
                failure: expectation.holds ? nil : expectation.explanation)
        }
        if failOn.contains(.unmatched) {
            let text = unmatched.prefix(10).map(Self.text).joined(separator: "; ")
            add(
                "every request was expected",
                failure: unmatchedCount == 0 ? nil : "\(unmatchedCount) were not: \(text)")
        }
        let failures = cases.count { $0.contains("<failure") }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
              <testsuite name="pushsend mock" tests="\(cases.count)" failures="\(failures)">
            \(cases.joined(separator: "\n"))
              </testsuite>
            </testsuites>

            """
    }

    /// Escapes a text for an attribute; characters that XML cannot have are left out.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\r", "\t": result += " "
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
