import APNSVocabulary
import PushPlatform
import Testing

@testable import MockAPNs

@Suite struct MockArrivalSearchTests {
    private static let arrival: MockArrival = {
        let fields: [MockRequest.Field] = [
            .init("apns-topic", "com.example.app"), .init("apns-push-type", "alert"), .init("apns-priority", "10"),
            .init("apns-collapse-id", "Game 7"),
        ]
        let body =
            #"{"aps":{"alert":{"title":"New \"message\"","body":"Hello, World"},"thread-id":"t1","category":"C"}}"#
        let request = MockRequest(
            method: "POST", path: "/3/device/0F0Fab", fields: fields, body: Array(body.utf8))
        let verdict = MockVerdict(status: 200, messageID: "ID-1", fact: .accepted)
        let token = ProviderTokenContent(
            algorithm: "ES256", keyID: "ABC123DEFG", teamID: "DEF123GHIJ", issuedAt: Date(timeIntervalSince1970: 0),
            signature: .verified)
        return MockArrival(
            number: 7, time: Date(timeIntervalSince1970: 1_700_000_000), connection: 3,
            judgedRequest: JudgedRequest(
                request, on: 1, verdict,
                by: MockArrival.Sender(token: token, certificate: nil, environment: .sandbox)))
    }()

    @Test(arguments: [
        "", "token:0f0f", "token:0F0FAB", "topic:com.example.app", "topic:COM.example.*", "type:alert", "priority:10",
        "collapse:\"Game 7\"", "apns-collapse-id:Game*", "id:id-1", "thread:t1", "category:C", "title:message",
        "title:\"new \\\"message\"", "body:hello", "hello", "\"Hello, World\"", "status:200", "status:2xx",
        "status:any",
        "kid:ABC123DEFG", "key:abc*", "team:DEF123GHIJ", "conn:3", "-status:4xx", "!title:Bye", "-reason:BadTopic",
        "after:2023-11-14T00:00:00Z before:2023-11-15", "topic:com.example.app title:New -body:Bye conn:3",
        "-violation:any", "device:0f", "push_type:alert", "token:0F0f*", "title:new*", "hello*", "payload:aps*",
    ])
    func `it matches`(text: String) throws {
        #expect(try MockArrivalSearch(text).matches(Self.arrival))
    }

    @Test(arguments: [
        "token:1", "topic:com.example", "type:background", "priority:5", "thread:t", "title:Bye", "-hello",
        "status:201",
        "status:4xx", "kid:X", "conn:4", "fault:1", "violation:any", "before:2023-11-14", "after:1700000001",
        "topic:com.example.app -conn:3", "certificate:x", "channel:x", "token:1*", "title:Bye*", "attachment:*",
    ])
    func `it does not match`(text: String) throws {
        #expect(try !MockArrivalSearch(text).matches(Self.arrival))
    }

    @Test(arguments: [
        ("topc:a", 1), ("topic:a topc:b", 9), ("topic:", 7), ("status:ok", 8), ("status:99", 8), ("conn:x", 6),
        ("before:soon", 8), ("title:\"open", 7), ("-", 1), ("a - b", 3),
    ])
    func `a mistake has its column`(text: String, column: Int) {
        do throws(MockArrivalSearchError) {
            _ = try MockArrivalSearch(text)
            Issue.record("no error")
        } catch {
            #expect(error.column == column, "\(error)")
        }
    }

    @Test(arguments: ["kid:b", "title:\"a b\" -x", "\"q\\\"q\"", "-status:4xx payload:\\back"])
    func `a search is written as it can be read`(text: String) throws {
        let search = try MockArrivalSearch(text)
        #expect(try MockArrivalSearch(search.description) == search)
    }

    @Test func `differences say what there is instead`() throws {
        let differences = try MockArrivalSearch("title:Bye topic:com.example.app -conn:3").differences(
            from: Self.arrival)
        #expect(differences.map(\.term.text) == ["title:Bye", "-conn:3"])
        #expect(differences.map(\.found) == ["New \"message\"", "3"])
    }

    @Test func `strange payloads end nothing`() throws {
        for body in ["", "[]", "{", "\u{0}", "{\"aps\":{\"alert\":[1]}}", String(repeating: "[", count: 10_000)] {
            let request = MockRequest(method: "POST", path: "/", fields: [], body: Array(body.utf8))
            let arrival = MockArrival(
                number: 1, time: Date(timeIntervalSince1970: 0), connection: 1,
                judgedRequest: JudgedRequest(
                    request, on: 1, MockVerdict(status: 400, messageID: "", fact: .accepted),
                    by: MockArrival.Sender(token: nil, certificate: nil, environment: .sandbox)))
            #expect(try !MockArrivalSearch("title:x").matches(arrival))
        }
    }
}
