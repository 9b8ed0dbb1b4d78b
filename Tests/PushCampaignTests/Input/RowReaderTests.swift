import Testing

@testable import PushCampaign
@testable import PushJSON
@testable import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a line becomes.
struct RowReaderTests {
    private static func read(
        _ line: String, _ template: String? = #"{"aps":{"alert":"Hello"}}"#
    ) throws -> PushNotification {
        var reader = RowReader(
            BatchDefaults(
                topic: "com.example.app", template: try template.map { try PayloadTemplate(json: $0.utf8) }))
        return reader.notification(Array(line.utf8), index: 6, line: 7, file: 0)
    }

    private static func problem(_ line: String, _ template: String? = #"{"aps":{"alert":"Hello"}}"#) throws -> String? {
        guard case .invalid(let words)? = try read(line, template).row?.skipReason else { return nil }
        return words
    }

    @Test func `a line with all that it may say`() throws {
        let line = #"""
            {"token":"00ff","ref":{"id":[1,"a"]},"topic":"com.example.app.voip","push_type":"voip","priority":5,
             "collapse_id":"a\"b","expires":"2h","apns_id":"123E4567-E89B-12D3-A456-426614174000",
             "registered_at":"2026-11-22T07:00:00.5+01:00","payload":{"aps":{},"x":1}}
            """#
        let notification = try Self.read(line, nil)
        let row = try #require(notification.row)
        #expect(row.skipReason == nil)
        #expect(notification.deviceToken.hex == "00ff")
        #expect(notification.topic == "com.example.app.voip")
        #expect(notification.pushType == .voip)
        #expect(notification.priority == .powerAware)
        #expect(notification.collapseID == "a\"b")
        #expect(notification.expiration == .after(seconds: 7200))
        #expect(notification.id?.uuidString == "123E4567-E89B-12D3-A456-426614174000")
        #expect(notification.registeredMilliseconds == 1_795_327_200_500)
        #expect(String(decoding: notification.payload.bytes, as: UTF8.self) == #"{"aps":{},"x":1}"#)
        #expect(row.ref.map { String(decoding: row.text[$0], as: UTF8.self) } == #"{"id":[1,"a"]}"#)
        #expect(row.token.map { String(decoding: row.text[$0], as: UTF8.self) } == "00ff")
        #expect((row.index, row.line) == (6, 7))
    }

    @Test func `a line's values fill its own payload, as in a push of a request`() throws {
        func text(_ line: String, _ template: String? = nil) throws -> String {
            String(decoding: try Self.read(line, template).payload.bytes, as: UTF8.self)
        }
        let own = #""payload":{"aps":{"alert":"Hi {{name|there}}","badge":"{{badge:number|1}}"}}"#
        let values = #"{"token":"00","vars":{"name":"Ann","badge":"7"},\#(own)}"#
        let filled = #"{"aps":{"alert":"Hi Ann","badge":7}}"#
        #expect(try text(values) == filled)
        // Also if the campaign has a payload whose placeholders are the same, and from CSV, where the payload is a text.
        #expect(try text(values, #"{"aps":{"alert":"{{name}}"}}"#) == filled)
        let ofCSV = #"{"token":"00","payload":"{\"aps\":{\"alert\":\"Hi {{name}}\"}}","vars":{"name":"Ann"}}"#
        #expect(try text(ofCSV) == #"{"aps":{"alert":"Hi Ann"}}"#)
        #expect(try text(#"{"token":"00","vars":{},\#(own)}"#) == #"{"aps":{"alert":"Hi there","badge":1}}"#)
        // Without values, it is sent as it is.
        let raw = try Self.read(#"{"token":"00","vars":null,\#(own)}"#, nil)
        #expect(String(decoding: raw.payload.bytes, as: UTF8.self).contains("{{name|there}}"))
        #expect(raw.row?.hasRawPayload == true)
        #expect(try Self.read(values, nil).row?.hasRawPayload == false)
    }

    @Test(arguments: [
        (#""vars":{"nmae":"Ann"},"payload":{"aps":{"alert":"Hi {{name}}"}}"#, "The payload needs \"name\""),
        (#""vars":{"name":{}},"payload":{"aps":{"alert":"Hi {{name}}"}}"#, "\"name\" is an object"),
        (#""vars":{"name":"Ann"},"payload":{"aps":{"alert":"Hi ${name}"}}"#, "A placeholder is written {{name}}."),
        (#""vars":{"name":"Ann"},"payload":{"aps":{"alert":"Hi {{name"}}"#, "without the closing }}"),
    ])
    func `a payload of a line that its values do not fit is refused`(members: String, problem: String) throws {
        #expect(try Self.problem(#"{"token":"00",\#(members)}"#, nil)?.contains(problem) == true)
    }

    @Test(arguments: [
        #"{"token":"00","name":"Ann","name":"Ben"}"#, #"{"token":"00","vars":{"name":"Ann","name":null}}"#,
        #"{"token":"00","name":"Ann","vars":{"name":"Ben"}}"#, #"{"token":"00","name":"Ann","n\u0061me":"Ben"}"#,
    ]) func `what the payload asks for is given once`(line: String) throws {
        let template = #"{"aps":{"alert":"Hello {{name}}"}}"#
        #expect(try Self.problem(line, template)?.contains("\"name\" twice") == true)
        let escaped = #"{"token":"00","vars":{"n\u0061me":"Ann"}}"#
        let payload = try Self.read(escaped, template).payload
        #expect(String(decoding: payload.bytes, as: UTF8.self) == #"{"aps":{"alert":"Hello Ann"}}"#)
    }

    @Test func `among many variables too, none comes twice`() throws {
        let many = (0..<300).map { "\"k\($0)\":1" }
        #expect(try Self.problem("{\"token\":\"00\",\"vars\":{\(many.joined(separator: ","))}}") == nil)
        let twice = (many + ["\"k7\":2"]).joined(separator: ",")
        #expect(try Self.problem("{\"token\":\"00\",\"vars\":{\(twice)}}")?.contains("\"k7\" twice") == true)
    }

    @Test func `lines without variables share one payload`() throws {
        var reader = RowReader(
            BatchDefaults(topic: "a", template: try PayloadTemplate(json: #"{"aps":{"alert":"Hello"}}"#.utf8)))
        let first = reader.notification(Array(#"{"token":"00"}"#.utf8), index: 0, line: 1, file: 0)
        let second = reader.notification(Array(#"{"token":"01"}"#.utf8), index: 1, line: 2, file: 0)
        let addresses = [first, second].map { $0.payload.bytes.withUnsafeBytes { $0.baseAddress } }
        #expect(addresses[0] == addresses[1])
    }

    @Test(arguments: [
        (#"{"token":"00""#, "isn't JSON: The { in line 1, column 1 isn't closed, at column 14. Add }"),
        (#"5f3a"#, "isn't a JSON object"),
        (
            #"{"token":"00"} x"#,
            "There is text after the end of the line, at column 16. Write each push on its own line."
        ),
        (#"{}"#, "no \"token\""),
        (#"{"token":null}"#, "no \"token\""),
        (#"{"token":7}"#, "\"token\" must be a string"),
        (#"{"token":"5f3"}"#, "odd number"),
        (#"{"token":"00","priority":"x"}"#, "\"priority\" must be a whole number"),
        (#"{"token":"00","priority":10.5}"#, "\"priority\" must be a whole number"),
        (#"{"token":"00","expires":"soon"}"#, "\"expires\" isn't a time"),
        (#"{"token":"00","registered_at":"yesterday"}"#, "\"registered_at\" isn't a time"),
        (#"{"token":"00","apns_id":"7"}"#, "\"apns_id\" must be a UUID"),
        (#"{"token":"00","colapse_id":"x"}"#, "Unknown field \"colapse_id\""),
        (#"{"token":"00","vars":[1]}"#, "\"vars\" must be a JSON object"),
        (#"{"token":"00","ref":"\x"}"#, "The escape \\x doesn't exist in JSON, at column 22."),
        (#"{"token":"00","token":"01"}"#, "\"token\" twice"),
        (#"{"token":"00","\u0074oken":"01"}"#, "\"token\" twice"),
        (#"{"token":"00","ref":null,"ref":1}"#, "\"ref\" twice"),
        (#"{"token":"00","vars":{"a":1},"vars":{"b":1}}"#, "\"vars\" twice"),
        (#"{"token":"00","vars":{"a":1,"bc":2,"a":3}}"#, "\"a\" twice"),
        (#"{"token":"00","vars":{"a":1,"\u0061":3}}"#, "\"a\" twice"),
    ]) func `what is wrong is said, with the index`(line: String, words: String) throws {
        let problem = try #require(try Self.problem(line))
        #expect(problem.contains(words), "\(problem)")
    }

    @Test(arguments: ["<5f3ad1c0 7b9e4286>", "Optional(\\\"5f3ad1c07b9e4286\\\")"])
    func `a device token in another form is read as its digits`(form: String) throws {
        let notification = try Self.read("{\"token\":\"\(form)\"}")
        #expect(notification.deviceToken.hex == "5f3ad1c07b9e4286")
        #expect(notification.row?.skipReason == nil)
        #expect(notification.row?.deviceToken.map { String(decoding: $0, as: UTF8.self) } == "5f3ad1c07b9e4286")
    }

    @Test func `a line without a payload needs one for all`() throws {
        #expect(try Self.problem(#"{"token":"00"}"#, nil)?.contains("no \"payload\"") == true)
    }

    @Test func `bytes that are no UTF-8 are refused`() throws {
        var reader = RowReader(BatchDefaults(topic: "a"))
        let line = Array(#"{"token":"00","ref":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        let row = reader.notification(line, index: 0, line: 1, file: 0).row
        #expect(row?.skipReason == .invalid("The line isn't UTF-8."))
    }

    @Test func `a registration is also taken in milliseconds, as Apple writes it`() throws {
        for time in ["1732240000123", "1732240000.123", "\"2024-11-22 01:46:40.123 UTC\""] {
            let notification = try Self.read("{\"token\":\"00\",\"registered_at\":\(time)}")
            #expect(notification.registeredMilliseconds == 1_732_240_000_123, "\(time)")
        }
        let tooFine = try Self.problem(#"{"token":"00","registered_at":1732240000123456}"#)
        #expect(tooFine?.hasSuffix("looks like microseconds. Did you mean 1732240000?") == true)
    }

    @Test(
        arguments: [
            ("2h", .after(seconds: 7200)), ("1.5d", .after(seconds: 129_600)), ("1500ms", .after(seconds: 1)),
            ("once", .once), ("apple", .apnsDefault), ("@7", .until(secondsSince1970: 7)),
            ("2026-11-22", .until(secondsSince1970: 1_795_305_600)), ("2026-02-31", nil), ("2w", nil), ("-2h", nil),
            ("0", .once), ("1695782874.475", .until(secondsSince1970: 1_695_782_874)),
            ("2023-01-02 03:04:05 UTC", .until(secondsSince1970: 1_672_628_645)),
            ("@1695782874475", .until(secondsSince1970: 1_695_782_874_475)),
        ] as [(String, PushExpiration?)]) func `expirations as people write them`(
            text: String, expiration: PushExpiration?
        )
    {
        #expect(PushExpiration(text: text) == expiration)
    }

    @Test func `JSON is taken and refused as by the reader that makes values`() {
        let texts = [
            "{}", "[]", "[1,]", "{\"a\":1,}", "01", "-", "-0", "1.", "1.5e+3", "1e", "\"\\u12\"", "\"\\ud800\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83dx\"", "tru", "true", "nul", "null", "\"a\nb\"", "\"a", "{\"a\" 1}", "{a:1}", "[1 2]",
            "  [ 1 , {\"b\" : []} ] ",
            String(repeating: "[", count: 200), "\"\\q\"", "", "{\"a\":}", "1 2", "+1", ".5",
        ]
        for text in texts {
            let bytes = Array(text.utf8)
            let isTaken = bytes.withUnsafeBufferPointer { buffer -> Bool in
                var scanner = JSONScanner(buffer)
                scanner.skipSpace()
                guard (try? scanner.value()) != nil else { return false }
                scanner.skipSpace()
                return scanner.at == buffer.count
            }
            #expect(isTaken == (PushJSONValue(json: bytes) != nil), "\(text)")
        }
    }
}
