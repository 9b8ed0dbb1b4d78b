import Testing

@testable import PushCampaign
@testable import PushProvider

/// The rules over many lines.
struct BatchLintTests {
    private static func line(_ number: Int, _ payload: String, collapseID: String? = nil) throws -> PushNotification {
        var line = PushNotification(
            to: try DeviceToken("00"), topic: "com.example.app", payload: PushPayload(json: payload),
            collapseID: collapseID)
        line.row = BatchRow(index: number, line: number + 1, file: 0, text: [])
        return line
    }

    private static let good = #"{"aps":{"alert":"Hello"}}"#
    private static let odd = #"{"aps":{"alert":"Hello","sound":"ping"}}"#
    private static let wrong = #"{"aps":{"alert":"Hello","badge":"1"}}"#

    @Test func `each rule counts its lines, and shows the first of them`() throws {
        let found = BatchFindings()
        var lint = BatchLint(nil, found)
        let twice = #"{"aps":{"alert":"Hello","badge":"1","sound":"ping"},"acme":{"aps":{"badge":"1"}}}"#
        for (number, payload) in [Self.good, Self.odd, Self.odd, Self.wrong, twice, Self.good].enumerated() {
            let refusal = lint.findings(in: try Self.line(number, payload)).refusal
            #expect((refusal != nil) == payload.contains("badge"), "\(payload)")
        }
        let rules = Dictionary(uniqueKeysWithValues: found.all.map { ($0.finding.rule, $0) })
        #expect(rules["sound-file"]?.lines == 3)
        #expect(rules["sound-file"]?.line == 2)
        #expect(rules["badge-number"]?.lines == 2)
        #expect(rules["badge-number"]?.line == 4)
    }

    @Test func `what differs beside the payload is seen`() throws {
        var lint = BatchLint(nil, BatchFindings())
        #expect(lint.findings(in: try Self.line(0, Self.good)).isEmpty)
        let long = String(repeating: "a", count: 65)
        #expect(lint.findings(in: try Self.line(1, Self.good, collapseID: long)).map(\.rule) == ["collapse-id-length"])
        #expect(lint.findings(in: try Self.line(2, Self.good)).isEmpty)
        var changes: [(inout PushNotification) -> Void] = []
        changes.append { $0.topic = "com example" }
        changes.append { $0.pushType = .voip }
        changes.append { $0.priority = PushPriority(rawValue: 7) }
        changes.append { $0.expiration = .until(secondsSince1970: -1) }
        for change in changes {
            var line = try Self.line(3, Self.good)
            change(&line)
            #expect(!lint.findings(in: line).isEmpty)
            #expect(lint.findings(in: try Self.line(4, Self.good)).isEmpty)
        }
    }

    @Test func `a rule that every line breaks from the first is the campaign's fault`() throws {
        var lint = BatchLint(nil, BatchFindings())
        for number in 0..<BatchLint.enough + 5 {
            #expect((lint.commonFault != nil) == (number >= BatchLint.enough))
            let payload = #"{"aps":{"alert":"Hello","badge":"\#(number)"}}"#
            _ = lint.findings(in: try Self.line(number, payload))
        }
        #expect(lint.commonFault?.description.contains(" by the rule badge-number, ") == true)
    }

    @Test(arguments: [0, 500, 999])
    func `one line that passes, or breaks another rule, acquits it`(index: Int) throws {
        for other in [Self.good, #"{"aps":{"alert":7}}"#] {
            var lint = BatchLint(nil, BatchFindings())
            for number in 0..<2 * BatchLint.enough {
                _ = lint.findings(in: try Self.line(number, number == index ? other : Self.wrong))
            }
            #expect(lint.commonFault == nil)
        }
    }

    /// The next line is often like the last, but for its device token.
    @Test func `each line of a campaign to Apple is looked at, and none of one to a mock`() throws {
        let (long, short) = (String(repeating: "0f", count: 32), "0f0f")
        for checksTokens in [true, false] {
            let found = BatchFindings()
            var lint = BatchLint(nil, found, checksTokens: checksTokens)
            for (line, token) in [long, short, long, short].enumerated() {
                var notification = PushNotification(
                    to: try DeviceToken(token), topic: "com.example.app", payload: .alert(body: "Hello"))
                notification.row = BatchRow(index: line, line: line + 1, file: 0, text: [])
                _ = lint.findings(in: notification)
            }
            #expect(found.all.map(\.lines) == (checksTokens ? [2] : []))
            #expect(found.all.map(\.line) == (checksTokens ? [2] : []))
        }
    }
}
