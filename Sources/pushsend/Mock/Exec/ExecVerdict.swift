import APNSVocabulary
import MockAPNs
import PushPlatform

/// What a run of `mock exec` found, besides the exit code of its command.
struct ExecVerdict {
    private let violations: [ViolationEntry]
    private let counts: [ViolationCount]
    private let unmatched: [Arrival]
    private let expectations: [CheckedExpectation]
    private let failOn: [MockExecCommand.FailOn]

    init(_ mock: MockServer, failOn: [MockExecCommand.FailOn]) {
        violations = mock.violations
        counts = mock.violationCounts
        unmatched = mock.unmatchedArrivals
        expectations = mock.checkedExpectations
        self.failOn = failOn
    }

    /// Whether `--fail-on` found something.
    var fails: Bool {
        failOn.contains(.violations) && !counts.isEmpty || failOn.contains(.unmatched) && !unmatched.isEmpty
    }

    /// Says on standard error what `--fail-on` found.
    func complain() {
        if failOn.contains(.violations) {
            for count in counts {
                let first = violations.first { $0.violation.id == count.id }
                let example = first?.violation.detail.map { " The first time: \($0)" } ?? ""
                Output.complain("The client broke the rule \(count.id) \(Self.sentences(count))\(example)")
            }
        }
        guard failOn.contains(.unmatched), !unmatched.isEmpty else { return }
        Output.complain(
            unmatched.count == 1
                ? "1 request arrived that no wait or assert matched."
                : "\(unmatched.count) requests arrived that no wait or assert matched.")
        for arrival in unmatched.prefix(10) { Output.note("  \(Self.text(arrival))") }
    }

    /// Returns "once", the rule, and how certain it is.
    private static func sentences(_ count: ViolationCount) -> String {
        let statement = count.fact.statement
        return
            "\(times(count.count)). \(statement)\(statement.hasSuffix(".") ? "" : ".") This is \(count.fact.confidence)."
    }

    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

    private static func text(_ arrival: Arrival) -> String {
        let request = arrival.request
        return """
            \(arrival.number)  \(arrival.verdict.status)  \(request.pushType?.rawValue ?? "no push type")  \
            \(request.topic ?? "no topic")  \(DeviceToken.shortened(arrival.deviceToken))
            """
    }

    // MARK: JUnit

    /// Writes the results as JUnit's XML.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be written.
    func writeJUnit(to path: String, exitCode: Int32) throws {
        var cases: [String] = []
        func add(_ name: String, failure: String?) {
            let start = "    <testcase classname=\"pushsend.mock\" name=\"\(Self.escaped(name))\""
            cases.append(
                failure.map { "\(start)>\n      <failure message=\"\(Self.escaped($0))\"/>\n    </testcase>" }
                    ?? "\(start)/>")
        }
        add("the command succeeds", failure: exitCode == 0 ? nil : "The exit code is \(exitCode).")
        for count in counts {
            add("rule \(count.id)", failure: "The client broke this rule \(Self.sentences(count))")
        }
        if counts.isEmpty { add("no rule of APNs is broken", failure: nil) }
        for expectation in expectations {
            add(expectation.name, failure: expectation.holds ? nil : expectation.explanation)
        }
        if failOn.contains(.unmatched) {
            let text = unmatched.prefix(10).map(Self.text).joined(separator: "; ")
            add(
                "every request was expected",
                failure: unmatched.isEmpty ? nil : "\(unmatched.count) were not: \(text)")
        }
        let failures = cases.count { $0.contains("<failure") }
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
              <testsuite name="pushsend mock" tests="\(cases.count)" failures="\(failures)">
            \(cases.joined(separator: "\n"))
              </testsuite>
            </testsuites>

            """
        do {
            try Data(text.utf8).write(to: URL(filePath: path))
        } catch {
            throw CommandFailure(status: .cannotWrite, message: "The file \"\(path)\" of --junit cannot be written.")
        }
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
