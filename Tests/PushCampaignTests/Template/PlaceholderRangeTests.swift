import Testing

@testable import PushCampaign
@testable import PushLint
@testable import PushProvider

/// Payloads that are judged alike are alike.
struct PlaceholderRangeTests {
    private static let homes: [(around: String, path: String)] = [
        (#"{"aps":{"alert":"Hello",KEY}}"#, "aps"), (#"{"aps":{"alert":{"title":"Hello",KEY}}}"#, "alert"),
        (#"{"aps":{"alert":{KEY}},"mdm":"a"}"#, "alert alone"), (#"{"aps":{KEY}}"#, "aps alone"),
        (#"{"aps":{"alert":"Hello","sound":{KEY}}}"#, "sound"), (#"{"aps":{"alert":"Hello"},KEY}"#, "root"),
        (#"{"aps":{"badge":1},KEY}"#, "root, no text"), (#"{"aps":{"alert":"Hello"},"own":{KEY}}"#, "own"),
        (#"{"aps":{"timestamp":1700000000,"event":"update","content-state":{KEY}}}"#, "content-state"),
    ]

    private static let ownKeys = [
        "id", "acme", "attachment-url", "media-attachments", "image", "mdm", "container-identifier", "notification",
        "Badge", "titles", "own", "customer_id",
    ]

    private static let values =
        [
            "", " ", "a", "ping", "ping.caf", "default", "%@ and %@", "%1$@", "http://a.b/c.jpg", "https://a.b/c.jpg",
            "true", "1", "1700000000000", "critical", "passive", "start", "end", "😀", #"\n"#, #"\u0020"#, "2026-11-22",
        ].map { "\"\($0)\"" }
        + [
            "0", "1", "7", "-1", "1.5", "007", "123456", "1700000000000", "1e3", "1e400", "true", "false", "null", "{}",
            "[]",
        ]

    /// The one that payloads of a template share; others have that of their outline.
    private static func shape(of notification: PushNotification) -> PayloadShape? {
        notification.payload.shape.flatMap { $0.reach == .warnings ? $0 : nil }
    }

    private static func rules(_ notification: PushNotification) -> Set<String> {
        Set(notification.findings().map(\.rule))
    }

    @Test(arguments: homes)
    func `at every index of a value, its range leaves the findings unchanged`(
        home: (around: String, path: String)
    ) throws {
        var compared = 0
        for key in Set(KnownKey.all.map(\.name) + Self.ownKeys).sorted() {
            for form in [#""{{v}}""#, #""{{v:number}}""#, #""Hello {{v}}""#, #"" {{v}}""#] {
                let json = home.around.replacing("KEY", with: "\"\(key)\":\(form)")
                guard let template = try? PayloadTemplate(json: json.utf8) else { continue }
                var reader = RowReader(
                    BatchDefaults(topic: "com.example.app", template: template))
                var first: (shape: PayloadShape, rules: Set<String>, value: String)?
                for value in Self.values {
                    let line = #"{"token":"00","vars":{"v":\#(value)}}"#
                    let notification = reader.notification(Array(line.utf8), index: 0, line: 1, file: 0)
                    guard notification.row?.skipReason == nil, let shape = Self.shape(of: notification) else {
                        continue
                    }
                    let rules = Self.rules(notification)
                    if let first {
                        #expect(first.shape === shape)
                        #expect(first.rules == rules, "\(json): \(first.value) and \(value)")
                        compared += 1
                    }
                    first = first ?? (shape, rules, value)
                }
            }
        }
        let isShown = ["aps", "alert", "root", "own"].contains(home.path)
        #expect(!isShown || compared > 10)
    }

    @Test func `what people write most is read once`() throws {
        let json =
            #"{"aps":{"alert":{"title":"{{title}}","body":"Hello {{name|you}}"},"badge":"{{badge:number|0}}"},"id":"{{id}}"}"#
        let template = try PayloadTemplate(json: json.utf8)
        var reader = RowReader(BatchDefaults(topic: "com.example.app", template: template))
        func shape(_ vars: String) -> PayloadShape? {
            Self.shape(
                of: reader.notification(Array(#"{"token":"00","vars":\#(vars)}"#.utf8), index: 0, line: 1, file: 0))
        }
        let usual = shape(#"{"title":"A","name":"Ann","badge":"3","id":7}"#)
        #expect(usual != nil)
        #expect(usual === shape(#"{"title":"Ä","badge":12,"id":"a-b"}"#))
        #expect(shape(#"{"title":"","badge":12,"id":"a-b"}"#) == nil)
        #expect(shape(#"{"title":"A","badge":-1,"id":"a-b"}"#) == nil)
        #expect(shape(#"{"title":{},"badge":1,"id":"a-b"}"#) == nil)
        #expect(shape(#"{"title":"A","badge":1,"id":{"a":1}}"#) == nil)
    }
}
