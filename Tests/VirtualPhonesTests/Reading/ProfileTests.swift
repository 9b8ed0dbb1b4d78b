import MockAPNs
import PushJSON
import Testing

@testable import VirtualPhones

@Suite struct ProfileTests {
    private static func read(_ json: String) throws -> [PhoneProfile] {
        try PhoneProfile.list(try LocatedJSON(json: Array(json.utf8)))
    }

    @Test func `a phone, a list of phones, and an object with a list are read`() throws {
        #expect(try Self.read(#"{"id":"a"}"#).map(\.id) == ["a"])
        #expect(try Self.read(#"[{"id":"a"},{"id":"b"}]"#).map(\.id) == ["a", "b"])
        #expect(try Self.read(#"{"phones":[{"id":"a","name":"A"}]}"#).map(\.name) == ["A"])
    }

    @Test func `text that is not JSON has its place`() {
        let error = #expect(throws: PhoneProfileError.self) { try PhoneProfile.list(json: Array("{\"id\": }".utf8)) }
        #expect(error?.line == 1)
        #expect(error?.column == 8)
    }

    @Test func `a phone begins with the switches of its profile`() throws {
        let phone = try #require(
            try Self.read(
                #"{"id":"a","online":false,"muted":true,"focus":"Work","locked":false,"foreground":"com.example.app"}"#
            ).first)
        #expect(
            phone.switches
                == PhoneSwitches(
                    online: false, muted: true, focus: "Work", locked: false, foreground: "com.example.app"))
    }

    struct Mistake: Sendable {
        var json: String
        var field: String
        var words: String
        var line = 1
        var column: Int

        init(_ json: String, _ field: String, _ words: String, line: Int = 1, column: Int) {
            (self.json, self.field, self.words, self.line, self.column) = (json, field, words, line, column)
        }
    }

    private static func app(_ members: String) -> String { "{\"id\":\"a\",\"apps\":[{\"topic\":\"t\",\n\(members)}]}" }

    @Test(arguments: [
        Mistake("[]", "", "1 to 50 phones, not 0", column: 1),
        Mistake("7", "", "must be an object, not a number", column: 1),
        Mistake("{}", "/id", "\"id\" is missing", column: 1),
        Mistake(#"{"id":"a b"}"#, "/id", "isn't an id. Use 1 to 64 letters", column: 7),
        Mistake(#"[{"id":"a"},{"id":"a"}]"#, "/1/id", "Two phones have the id \"a\"", column: 19),
        Mistake(#"{"id":"a","mutted":true}"#, "/mutted", "Did you mean \"muted\"?", column: 11),
        Mistake(#"{"id":"a","muted":"yes"}"#, "/muted", "must be a boolean, not a string", column: 19),
        Mistake(#"{"id":"a","focus":""}"#, "/focus", "\"focus\" is empty. Give a name, or null for none", column: 19),
        Mistake(#"{"id":"a","id":"b"}"#, "/id", "occurs twice", column: 11),
        Mistake(
            #"{"id":"a","locked":true,"foreground":"x"}"#, "/foreground", "A locked phone has no app", column: 38),
        Mistake(
            #"{"id":"a","apps":[{"topic":"x.voip"}]}"#, "/apps/0/topic", "Leave out \".voip\"", column: 28),
        Mistake(app(#""permission":"yes""#), "/apps/0/permission", "Known: allowed", line: 2, column: 14),
        Mistake(app(#""presents":["sounds"]"#), "/apps/0/presents", "Did you mean \"sound\"?", line: 2, column: 12),
        Mistake(
            app(#""categories":[{"id":"C"},{"id":"C"}]"#), "/apps/0/categories/1/id", "two categories", line: 2,
            column: 32),
        Mistake(
            app(#""categories":[{"id":"C","actions":[{"id":"tap"}]}]"#), "/apps/0/categories/0/actions/0/id",
            "is a reserved word of the API", line: 2, column: 42),
        Mistake(
            app(#""categories":[{"id":"C","actions":[{"id":"A","placeholder":"x"}]}]"#),
            "/apps/0/categories/0/actions/0/placeholder", "Add \"kind: text\"", line: 2, column: 60),
        Mistake(
            app(#""service_extension":{"takes":3}"#), "/apps/0/service_extension/takes", "a string with a unit",
            line: 2,
            column: 30),
        Mistake(
            app(#""service_extension":{"attaches":{"key":"k","files":{"u":{"name":"n","base64":"?"}}}}"#),
            "/apps/0/service_extension/attaches/files/u/base64", "isn't base64", line: 2, column: 78),
        Mistake(
            app(#""content_extensions":[{"categories":"C","answers":{"LIKE":"keep"}}]"#),
            "/apps/0/content_extensions/0/answers/LIKE", "Add the category", line: 2, column: 59),
        Mistake(
            app(#""live_activities":[{"type":"T","progress":{"of":5}}]"#),
            "/apps/0/live_activities/0/progress/of", "either \"done\" or \"left\"", line: 2, column: 49),
    ])
    func `a mistake has its place and a remedy`(mistake: Mistake) throws {
        let error = #expect(throws: PhoneProfileError.self) { try Self.read(mistake.json) }
        #expect(error?.field == mistake.field)
        #expect(error?.description.contains(mistake.words) == true, "\(error?.description ?? "")")
        #expect(error?.line == mistake.line)
        #expect(error?.column == mistake.column)
    }
}
