import Foundation

/// A value that is given to every door that takes its kind.
struct DoorValue: Sendable, CustomStringConvertible {
    /// What the value is.
    enum Subject: Sendable {
        case token
        /// A user of the app's table of devices, which the app of the doors does not have.
        case user
        case topic
        case collapseID
        case apnsID
        /// The priority, as JSON.
        case priority
        /// Until when Apple and the queue try: a time.
        case expiration
        /// The same, in words that are no time.
        case lifetime
        case registration
        case delivery
        /// A time that is only looked for.
        case moment
        /// How long a push may wait, as a duration.
        case duration
        /// A file with a payload.
        case payload
        /// A payload as JSON.
        case content
        /// The payload of a broadcast, as JSON.
        case broadcast
        /// The id of a channel.
        case channel
        /// A header that only a push to a device has, with the name of its member, as in `collapse_id=x`.
        case broadcastHeader
        /// A push, or a line, that may be no JSON.
        case line
        /// A file with a list of device tokens, in CSV.
        case list
    }

    /// What every door must answer.
    enum Expected: Sendable {
        case accepted
        /// The answer contains these words.
        case refused(String)
        /// All doors accept it, or all refuse it.
        case asTheOthers
    }

    var subject: Subject
    var text: String
    /// Whether JSON has it as a number.
    var isNumber = false
    /// The bytes of a file.
    var bytes: [UInt8] = []
    var expected: Expected

    var description: String { "\(subject) \(text.debugDescription)" }

    /// As a part of an address.
    var escaped: String { text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }

    var json: String {
        isNumber ? text : Self.json(of: text)
    }

    static func json(of text: String) -> String {
        String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
    }
}

extension DoorValue {
    static let all =
        tokens + users + topics + ids + priorities + expirations + registrations + deliveries + moments + durations
        + files
        + contents
        + broadcasts + broadcastHeaders + channels + lines

    private static func each(_ subject: Subject, _ values: [(String, String?)], isNumber: Bool = false) -> [DoorValue] {
        values.map { text, words in
            DoorValue(
                subject: subject, text: text, isNumber: isNumber, expected: words.map { .refused($0) } ?? .accepted)
        }
    }

    private static let token = RunningMock.token

    private static let tokens = each(
        .token,
        [
            (token, nil), (token.uppercased(), nil), ("", "The device token is empty"),
            ("\(token) \(token)", ""), (String(token.dropLast()), "has 63 hex digits, an odd number"),
            ("zz" + token.dropFirst(2), "contains \"z\", which isn't a hex digit"),
            (String(repeating: token, count: 4), "has 256 hex digits, more than 200"),
            (String(repeating: token, count: 10), "has 640 hex digits, more than 200"),
        ])

    private static let users = each(
        .user,
        [
            ("42", "has no table of devices"), ("", "must have 1 to 256 bytes"), ("a\u{7}b", "control character"),
            (String(repeating: "u", count: 257), "must have 1 to 256 bytes"),
        ])

    private static let topics = each(
        .topic,
        [
            (RunningMock.topic, nil), ("com.example app", "has a character that isn't allowed in a bundle id"),
            ("com.exämple.app", "has a character that isn't allowed in a bundle id"),
            ("", " is missing."),
            (String(repeating: "x", count: 600), "is 600 bytes, more than 512"),
        ])

    private static let ids =
        each(
            .collapseID,
            [
                ("match-7", nil), (String(repeating: "c", count: 64), nil),
                (String(repeating: "c", count: 65), "The collapse id is 65 bytes, more than 64."),
                (String(repeating: "c", count: 600), "The collapse id is 600 bytes, more than 64."),
                (" x", "is empty, or has a control character, or begins or ends with a space"),
                ("", "is empty, or has a control character, or begins or ends with a space"),
            ])
        + each(
            .apnsID,
            [
                ("123e4567-e89b-12d3-a456-426614174000", nil), ("123E4567-E89B-12D3-A456-426614174000", nil),
                ("xyz", "UUID"), ("123e4567e89b12d3a456426614174000", "UUID"),
            ])

    private static let priorities =
        each(
            .priority,
            [
                ("10", nil), ("5.0", nil), ("1e1", nil), ("7", "7 isn't a valid priority"),
                ("10.5", "\"priority\" must be a whole number"), ("true", "\"priority\" must be a whole number"),
            ], isNumber: true)
        // CSV has no numbers, and the bodies of other senders have texts, too.
        + each(
            .priority,
            [
                ("10", nil), ("5", nil), ("5.0", nil), ("7", "7 isn't a valid priority"),
                ("high", "\"priority\" must be a whole number"), ("", "\"priority\" must be a whole number"),
                (" 10", "\"priority\" must be a whole number"),
            ])

    /// Times that are good everywhere: 2100-01-01, in the forms that people and programs write.
    private static let good: [(String, String?)] = [
        "2100-01-01T00:00:00Z", "2100-01-01T01:00:00.475+01:00", "2100-01-01 00:00:00 UTC",
        "2100-01-01 00:00:00 +00:00",
        "2100-01-01 00:00:00+00", "2100-01-01 00:00", "2100-01-01", "4102444800", "4102444800.475", "@4102444800",
    ].map { ($0, nil) }

    /// Texts that are no time anywhere.
    private static let bad: [(String, String?)] = [
        ("soon", "time"), ("2100-02-30", "time"), ("1795262400123", "looks like milliseconds"),
        ("1695782874475123", "looks like microseconds"), ("1695782874475123456", "looks like nanoseconds"),
    ]

    private static let past = [
        ("2020-01-01T00:00:00Z", "The expiration is 2020-01-01T00:00:00Z, which has passed: by the clock here it is "),
        ("1577836800", "The expiration is 2020-01-01T00:00:00Z, which has passed"),
        ("1577836800.475", "The expiration is 2020-01-01T00:00:00Z, which has passed"),
    ]

    private static let expirations =
        each(.expiration, good + bad + past + [("3600", "3600"), ("2026", "2026")])
        + each(
            .expiration, [("4102444800", nil), ("4102444800.475", nil), ("4.1024448e9", nil), past[1]], isNumber: true)
        + each(
            .lifetime,
            [
                ("2h", nil), ("once", nil), ("0", nil), ("apple", nil), ("2w", "2h"), ("0s", "within a second"),
                ("500ms", "within a second"),
            ])

    private static let moments = each(.moment, good + bad + [("2020-01-01", nil), ("1h", "time"), ("", "time")])

    private static let registrations =
        each(
            .registration,
            [
                ("1695782874", nil), ("1695782874.475", nil), ("1695782874475", nil), ("2023-01-02 03:04:05 UTC", nil),
                ("2999-01-01", "\"registered_at\" is 2999-01-01T00:00:00Z, which is in the future"),
                ("32472144000", "\"registered_at\" is 2999-01-01T00:00:00Z, which is in the future"),
                ("1695782874475123", "looks like microseconds. Did you mean 1695782874?"),
                ("0", "when there were no device tokens yet"), ("2026", "when there were no device tokens yet"),
                ("-1", "when there were no device tokens yet"), ("yesterday", "\"registered_at\" isn't a time."),
            ])
        + each(
            .registration,
            [
                ("1695782874.475", nil), ("1695782874475123", "looks like microseconds. Did you mean 1695782874?"),
                ("0", "when there were no device tokens yet"),
            ], isNumber: true)

    private static let deliveries =
        each(.delivery, good + bad + long)
        + each(
            .delivery,
            [
                ("4102444800.475", nil), ("true", "must be a time"), ("1e18", "looks like nanoseconds"),
                ("-3600", "more than a year ago"), ("3600.5", "For 3600 seconds from now, write "),
            ] + long, isNumber: true)

    /// Times of long ago, most of which are meant as "in an hour".
    private static let long: [(String, String?)] = [
        ("3600", "For 3600 seconds from now, write "), ("0", "more than a year ago"),
        ("1577836800", "more than a year ago"),
    ]

    private static let durations = each(
        .duration,
        [
            ("2h", nil), ("90s", nil), ("30d", nil), ("3600", "For seconds, write \"3600s\"."), ("1s", nil), ("0s", ""),
            ("500ms", ""), ("0", ""),
            ("-1h", ""), ("1.5h", ""), ("2 h", ""), ("soon", ""), ("", ""),
        ])

    // MARK: JSON

    private static func json(_ subject: Subject, _ values: [(String, String?)]) -> [DoorValue] {
        each(subject, values).map { value in
            var value = value
            value.bytes = Array(value.text.utf8)
            return value
        }
    }

    private static let contents = json(
        .content,
        [
            (#"{"aps":{"alert":"Hi"}}"#, nil), (#"{"aps":{"content-available":1}}"#, nil),
            (#"{"aps":{"alert":"\u0000"}}"#, nil), (alert(ofBytes: 4096), nil),
            (alert(ofBytes: 4097), "The payload is 4097 bytes, 1 more than the limit"), ("[]", "an object"),
            (#"{"aps":[]}"#, #""aps" is an array, not an object."#),
            (#"{"aps":{"badge":"1"}}"#, "The badge is a string, not a number."), (#"{"mdm":""}"#, "\"mdm\" is empty."),
            // Apple accepts these. They get a warning.
            (#"{"aps":{"alert":"Hi","mutable-content":"1"}}"#, nil), (#"{"aps":{"content-available":"1"}}"#, nil),
            (#"{"aps":{"alert":"Hi","mutable_content":"1"}}"#, nil),
            (#"{"aps":{"alert":"Hi","alert":"Ho"}}"#, "Duplicate key \"alert\"."),
            (#"{"aps":{"interruption-level":"urgent"}}"#, "Unknown interruption level \"urgent\"."),
            (#"{"aps":{"alert":"Hi"},"n":1e400}"#, "The number 1e400 is too large"),
            (#"{"aps":{"alert":"\ud800"}}"#, "Half of a surrogate pair is missing"),
        ])

    private static func alert(ofBytes count: Int) -> String {
        #"{"aps":{"alert":"\#(String(repeating: "x", count: count - 20))"}}"#
    }

    private static func update(_ more: String, state: Int = 0) -> String {
        #"{"aps":{"timestamp":1795262400\#(more),"content-state":{"a":"\#(String(repeating: "x", count: state))"}}}"#
    }

    private static let update = #","event":"update""#

    private static let broadcasts = json(
        .broadcast,
        [
            (update(update), nil), (update(update, state: 5120 - update(update).utf8.count), nil),
            (update(update, state: 5121 - update(update).utf8.count), "1 more than the limit for a broadcast, 5120"),
            (update(""), #"A Live Activity needs an "event"."#), (#"{"aps":{"alert":"Hi"}}"#, "needs an \"event\""),
            (update(update + #","badge":"1""#), "The badge is a string, not a number."),
            (update(#","event":"start""#), #"The event start needs "attributes-type"."#),
        ])

    private static let broadcastHeaders = each(
        .broadcastHeader,
        [
            ("collapse_id=match-7", "A broadcast has no collapse id"),
            ("push_type=alert", "The push type of a broadcast is liveactivity"),
        ])

    private static let channels = each(
        .channel,
        [
            ("abc", "\"abc\" isn't a channel id: it isn't base64."), ("", "The channel id is empty."),
            (String(repeating: "x", count: 600), "The channel id has 600 characters, more than 200."),
        ])

    private static let lines = each(
        .line,
        [
            (#"{"token":"\#(token)","payload":{}}"#, nil),
            (#"{"token":"\#(token)","payload":{},}"#, "comma after the last"),
            (#"{'token':'\#(token)','payload':{}}"#, "The string is in single quotation marks"),
            (#"{"token":"\#(token)","payload":{}"#, "The { in line 1, column 1 isn't closed"),
            (#"{"token":"\#(token)","payload":{"aps":tru}}"#, "A string isn't in quotation marks"),
            (#"{"token":"\x","payload":{}}"#, "The escape \\x doesn't exist in JSON"),
        ])

    // MARK: Files

    /// Files in the encodings in which editors and exports write them.
    private static let files = [Subject.payload, .list].flatMap { subject -> [DoorValue] in
        let text = subject == .payload ? "{\"aps\":{\"alert\":\"Hé\"}}\n" : "token\n\(token)\n"
        let windows = text.replacingOccurrences(of: "\n", with: "\r\n")
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        // Lists come from spreadsheets, which write a mark. A payload is for APNs, which takes none.
        let marked: Expected = subject == .list ? .accepted : .refused("begins with a byte order mark")
        let wide = windows.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let all: [(String, [UInt8], Expected)] = [
            ("plain", Array(text.utf8), .accepted), ("no line end", Array(text.utf8.dropLast()), .accepted),
            ("CR LF", Array(windows.utf8), .accepted), ("mark", mark + text.utf8, marked),
            ("mark, CR LF", mark + windows.utf8, marked),
            ("UTF-16", [0xFF, 0xFE] + wide, subject == .list ? .refused("It is UTF-16.") : .asTheOthers),
            ("empty", [], .asTheOthers),
        ]
        // A list without lines is another matter for a file than for a request.
        let taken = subject == .payload ? all : all.filter { $0.0 != "empty" }
        return taken.map { DoorValue(subject: subject, text: $0, bytes: $1, expected: $2) }
    }
}
