import Testing

@testable import PushCampaign
@testable import PushProvider

/// What people write who mean a placeholder.
struct TemplateMistakesTests {
    private static func template(_ alert: String) throws -> PayloadTemplate {
        try PayloadTemplate(json: #"{"aps":{"alert":"\#(alert)"}}"#.utf8)
    }

    /// What is wrong with a CSV file whose header names these columns.
    private static func problem(_ alert: String, columns: String) throws -> String? {
        var lines = UploadedLines(
            format: .csv, BatchDefaults(topic: "com.example.app", template: try template(alert)), first: nil,
            secondsSince1970: 0)
        lines.feed(Array("token,\(columns)\n".utf8))
        lines.end()
        do throws(BatchInputError) { _ = try lines.next() } catch { return error.description }
        return nil
    }

    private static let foreign = [
        "${name}", "$(name)", "#{name}", "%{name}", "%(name)s", "{name}", "{ name }", "{$name}", "{!name}", "[[name]]",
        "<%= name %>",
        "<name>", "«name»",
        "<<name>>",
        "*|NAME|*", "((name))", "%%name%%", "%name%", "${Name}",
    ]

    @Test(arguments: foreign)
    func `a placeholder of another language is found if a value of that name is not used`(text: String) throws {
        let template = try Self.template("Hi \(text), welcome")
        let problem = try #require(template.foreignPlaceholder(unused: ["city", "name"]))
        #expect(problem.contains("{{name}}") && problem.contains(text.hasPrefix("%(") ? "%(name)" : text), "\(problem)")
        #expect(template.foreignPlaceholder(unused: ["city", "names", "nam"]) == nil)
        #expect(template.foreignPlaceholder(unused: []) == nil)
        let header = try #require(try Self.problem("Hi \(text), welcome", columns: "name"))
        #expect(header.hasPrefix(problem) && header.contains("rename the column"), "\(header)")
        #expect(try Self.problem("Hi {{name}}: \(text)", columns: "name") == nil)
        #expect(try Self.problem("Hi \(text)", columns: "city") == nil)
    }

    @Test func `a line with such an unused value cannot be sent, and another line can`() throws {
        var reader = RowReader(BatchDefaults(topic: "com.example.app", template: try Self.template("Hi ${name}")))
        func reason(_ line: String) -> String? {
            guard
                case .invalid(let message)? = reader.notification(Array(line.utf8), index: 0, line: 1, file: 0).row?
                    .skipReason
            else { return nil }
            return message
        }
        #expect(reason(#"{"token":"00","vars":{"name":"Ann"}}"#)?.contains("${name}") == true)
        #expect(reason(#"{"token":"00","vars":{"n\u0061me":"Ann"}}"#)?.contains("${name}") == true)
        // The names of the line before do not count.
        #expect(reason(#"{"token":"00"}"#) == nil)
        #expect(reason(#"{"token":"00","vars":{}}"#) == nil)
        // A payload of its own is judged with its values, too.
        let own = #"{"token":"00","vars":{"name":"Ann"},"payload":{"aps":{"alert":"Hi ${name}"}}}"#
        #expect(reason(own)?.contains("${name}") == true)
    }

    @Test(arguments: [
        #"{{ name | default: \"there\" }}"#, "{{name|default:'there'}}", #"{{ name | default(\"there\") }}"#,
        "{{ name | capitalize }}", "{{ name|| 'there' }}", #"{{ name | default \"there\" }}"#, "{{name | upcase}}",
    ])
    func `a filter of another language is no default`(text: String) throws {
        let error = #expect(throws: PushTemplateError.self) { try Self.template("Hi \(text)") }
        #expect(error?.description.contains("{{name|there}}") == true, "\(String(describing: error))")
        // A campaign of an earlier version goes on.
        #expect(throws: Never.self) { try PayloadTemplate(accepted: #"{"aps":{"alert":"Hi \#(text)"}}"#.utf8) }
    }

    @Test(arguments: ["{{name|there}}", "{{name|}}", "{{name|default}}", "{{name|title}}", "{{name|default text}}"])
    func `a text that may be meant is a default`(text: String) throws {
        #expect(throws: Never.self) { try Self.template(text) }
    }

    @Test func `a misspelt placeholder with a default is found in the header`() throws {
        let problem = try #require(try Self.problem("Hi {{nmae|there}}", columns: "name"))
        #expect(problem.contains("{{nmae|there}}") && problem.contains("Did you mean {{name|there}}?"), "\(problem)")
        #expect(try Self.problem("Hi {{First_Name|there}}", columns: "firstname") != nil)
        #expect(try Self.problem("{{line1|x}}", columns: "line2") == nil)
        #expect(try Self.problem("Pay in $USD", columns: "usd") == nil)
        let whole = try #require(try Self.problem("{{nmae|there}}", columns: "name"))
        #expect(whole.contains("Did you mean {{name|there}}?"), "\(whole)")
        // Without a similar column, or if that one is used, a default may be meant.
        #expect(try Self.problem("Hi {{nickname|there}}", columns: "city") == nil)
        #expect(try Self.problem("{{name}} {{nmae|there}}", columns: "name") == nil)
    }

    /// Otherwise a push with 500 placeholders and 5000 values would keep a processor busy for half a minute.
    @Test func `at most 100 names are compared, and only those of at most 64 bytes`() throws {
        let long = String(repeating: "a", count: 64)
        let others = (1...99).map { "other\($0)" }
        func suggestions(_ text: String, _ unused: [String]) throws -> [String] {
            try Self.template(text).unfilled(given: Set(unused), unused: unused).compactMap(\.suggestion)
        }
        #expect(try suggestions("{{nmae|there}}", others + ["name"]) == ["{{name|there}}"])
        #expect(try suggestions("{{nmae|there}}", others + ["more", "name"]) == [])
        #expect(try suggestions("{{\(long)|x}}", ["b" + long.dropLast()]).count == 1)
        #expect(try suggestions("{{\(long)|x}}", ["b" + long]) == [])
        let many = (1...100).map { "{{place\($0)|x}}" }.joined()
        #expect(try suggestions(many + "{{nmae|x}}", ["name"]) == [])
        #expect(try suggestions("{{nmae|x}}" + many, ["name"]) == ["{{name|x}}"])
    }

    @Test func `placeholders that no line fills are listed`() throws {
        let template = try Self.template("{{nmae|there}} {{city|x}} {{shop|y}}")
        var reader = RowReader(BatchDefaults(topic: "com.example.app", template: template))
        for line in [#"{"token":"00","vars":{"name":"Ann"}}"#, #"{"token":"00","city":"Oslo"}"#] {
            _ = reader.notification(Array(line.utf8), index: 0, line: 1, file: 0)
        }
        #expect(
            reader.unfilled == [
                UnfilledPlaceholder(placeholder: "{{nmae|there}}", suggestion: "{{name|there}}"),
                UnfilledPlaceholder(placeholder: "{{shop|y}}", suggestion: nil),
            ])
        _ = reader.notification(
            Array(#"{"token":"00","vars":{"nmae":"Ann","shop":1}}"#.utf8), index: 2, line: 3, file: 0)
        #expect(reader.unfilled == [])
    }
}
