package import PushLint
package import PushProvider

/// A payload that breaks one rule, and its twin that does not.
package struct RuleFixture: Sendable {
    package var rule: String
    package var bad: [UInt8]
    package var good: [UInt8]
    /// What is known of the request with either of them.
    package var badContext = LintContext()
    package var goodContext = LintContext()

    package init(_ rule: String, bad: String, good: String, _ context: LintContext = LintContext()) {
        self.init(rule, bad: Array(bad.utf8), good: Array(good.utf8), context)
    }

    package init(_ rule: String, bad: [UInt8], good: [UInt8], _ context: LintContext = LintContext()) {
        self.rule = rule
        self.bad = bad
        self.good = good
        badContext = context
        goodContext = context
    }

    /// One payload, and headers that break the rule or keep it.
    package init(_ rule: String, _ payload: String = hello, bad: LintContext, good: LintContext) {
        self.init(rule, bad: payload, good: payload)
        badContext = bad
        goodContext = good
    }

    package static let hello = #"{"aps":{"alert":"Hello"}}"#
    package static let now = 1_800_000_000
    /// Of a payload that was built for one push type and is sent as another.
    package static func builtAs(_ built: PushType, sent: PushType) -> LintContext {
        var context = LintContext(pushType: sent)
        context.payloadPushType = built
        return context
    }

    package static let live = LintContext(pushType: .liveactivity)
    package static let alert = LintContext(pushType: .alert)
    package static let background = LintContext(pushType: .background)

    package static let all = text + shape + keys + values + alerts + kinds + headers
}

// MARK: The text

extension RuleFixture {
    package static let text = [
        RuleFixture("empty-payload", bad: " \n", good: "{}"),
        RuleFixture("byte-order-mark", bad: "\u{FEFF}{}", good: "{}"),
        RuleFixture("utf-16", bad: [0xFF, 0xFE, 0x7B, 0, 0x7D, 0], good: Array("{}".utf8)),
        RuleFixture("invalid-utf8", bad: Array(#"{"a":""#.utf8) + [0xE9, 0x22, 0x7D], good: Array(#"{"a":"é"}"#.utf8)),
        RuleFixture("quoted-payload", bad: #""{\"aps\":{\"alert\":\"Hi\"}}""#, good: #"{"aps":{"alert":"Hi"}}"#),
        RuleFixture("missing-braces", bad: #""aps":{"alert":"Hi"}"#, good: #"{"aps":{"alert":"Hi"}}"#),
        RuleFixture("comment", bad: "{} // all", good: "{}"),
        RuleFixture("odd-space", bad: "{\u{A0}\"a\":1}", good: "{ \"a\":\"\u{A0}\"}"),
        RuleFixture("extra-comma", bad: #"{"a":[1,2,]}"#, good: #"{"a":[1,2]}"#),
        RuleFixture("missing-comma", bad: #"{"a":1 "b":2}"#, good: #"{"a":1, "b":2}"#),
        RuleFixture("missing-colon", bad: #"{"a" 1}"#, good: #"{"a": 1}"#),
        RuleFixture("missing-value", bad: #"{"a": }"#, good: #"{"a": null}"#),
        RuleFixture("missing-bracket", bad: #"{"aps":{"alert":"Hi"}"#, good: #"{"aps":{"alert":"Hi"}}"#),
        RuleFixture("wrong-bracket", bad: #"{"a":[1}"#, good: #"{"a":[1]}"#),
        RuleFixture("text-after-end", bad: "{}}", good: "{}\n"),
        RuleFixture("unquoted-key", bad: "{a:1}", good: #"{"a":1}"#),
        RuleFixture("unquoted-text", bad: #"{"a":Hello}"#, good: #"{"a":"Hello"}"#),
        RuleFixture("single-quotes", bad: "{'a':1}", good: #"{"a":"it's"}"#),
        RuleFixture("curly-quotes", bad: "{“a”:1}", good: #"{"a":"“so”"}"#),
        RuleFixture("unclosed-text", bad: "{\"a\":\"Hi\n}", good: "{\"a\":\"Hi\"\n}"),
        RuleFixture("unescaped-quote", bad: #"{"a":"He said "hi" to me"}"#, good: #"{"a":"He said \"hi\" to me"}"#),
        RuleFixture("control-character", bad: "{\"a\":\"one\ntwo\"}", good: #"{"a":"one\ntwo"}"#),
        RuleFixture("bad-escape", bad: #"{"a":"it\'s"}"#, good: #"{"a":"\u0027"}"#),
        RuleFixture("wrong-word", bad: #"{"a":True}"#, good: #"{"a":true}"#),
        RuleFixture("not-a-number", bad: #"{"a":NaN}"#, good: #"{"a":0}"#),
        RuleFixture("number-form", bad: #"{"a":+1}"#, good: #"{"a":1}"#),
        RuleFixture(
            "nesting", bad: String(repeating: #"{"a":"#, count: 200), good: #"{"a":{"a":{"a":{"a":{"a":{}}}}}}"#),
        RuleFixture("not-json", bad: "Hello", good: #"{"Hello":1}"#),
    ]
}

// MARK: Shape and keys

extension RuleFixture {
    /// A payload of exactly this number of bytes.
    package static func payload(bytes: Int) -> String {
        let frame = #"{"aps":{"alert":""}}"#.utf8.count
        return #"{"aps":{"alert":"\#(String(repeating: "x", count: bytes - frame))"}}"#
    }

    package static let shape = [
        RuleFixture("not-an-object", bad: "[]", good: "{}"),
        RuleFixture("aps-not-an-object", bad: #"{"aps":"Hi"}"#, good: hello),
        RuleFixture("payload-too-large", bad: payload(bytes: 4097), good: payload(bytes: 4096)),
        RuleFixture("duplicate-key", bad: #"{"a":1,"a":2}"#, good: #"{"a":1,"b":{"a":2}}"#),
        RuleFixture(
            "nested-aps", bad: #"{"payload":{"aps":{"alert":"Hi"}}}"#,
            good: #"{"aps":{"alert":"Hi"},"payload":{"aps":{}}}"#),
        RuleFixture(
            "foreign-form", bad: #"{"notification":{"title":"Hi"}}"#,
            good: #"{"aps":{"alert":"Hi"},"notification":{"title":"Hi"}}"#),
        RuleFixture("outside-aps", bad: #"{"alert":"Hi","badge":1}"#, good: #"{"aps":{"badge":1},"alert":"Hi"}"#),
        RuleFixture(
            "header-in-payload", bad: #"{"aps":{"alert":"Hi"},"apns-priority":10}"#,
            good: #"{"aps":{"alert":"Hi"},"apns-id":"7"}"#),
    ]

    package static let keys = [
        RuleFixture(
            "misplaced-key", bad: #"{"aps":{"alert":{"body":"Hi","thread-id":"t"}}}"#,
            good: #"{"aps":{"alert":{"body":"Hi"},"thread-id":"t"}}"#),
        RuleFixture(
            "misspelt-key", bad: #"{"aps":{"alert":"Hi","threadId":"t"}}"#,
            good: #"{"aps":{"alert":"Hi"},"threadId":"t"}"#),
        RuleFixture(
            "custom-key-in-aps", bad: #"{"aps":{"alert":"Hi","order":42}}"#, good: #"{"aps":{"alert":"Hi"},"order":42}"#
        ),
        RuleFixture(
            "unknown-key", bad: #"{"aps":{"alert":{"body":"Hi","image":"x"}}}"#,
            good: #"{"aps":{"alert":{"body":"Hi"}},"image":"x"}"#),
    ]
}

// MARK: Values

extension RuleFixture {
    package static let values = [
        RuleFixture("wrong-type", bad: #"{"aps":{"alert":["Hi"]}}"#, good: #"{"aps":{"alert":{"body":"Hi"}}}"#),
        RuleFixture(
            "null-value", bad: #"{"aps":{"alert":"Hi","category":null}}"#,
            good: #"{"aps":{"alert":{"body":"Hi","action-loc-key":null}},"category":null}"#),
        RuleFixture("badge-number", bad: #"{"aps":{"badge":"3"}}"#, good: #"{"aps":{"badge":0}}"#),
        RuleFixture(
            "flag-form", bad: #"{"aps":{"alert":"Hi","mutable-content":true}}"#,
            good: #"{"aps":{"alert":"Hi","mutable-content":1}}"#),
        RuleFixture(
            "critical-sound", bad: #"{"aps":{"alert":"Hi","sound":{"name":"default"}}}"#,
            good: #"{"aps":{"alert":"Hi","sound":{"name":"default","critical":1,"volume":1}}}"#),
        RuleFixture(
            "critical-level",
            bad: #"{"aps":{"alert":"Hi","sound":{"critical":1},"interruption-level":"time-sensitive"}}"#,
            good: #"{"aps":{"alert":"Hi","sound":{"critical":1},"interruption-level":"critical"}}"#),
        RuleFixture(
            "sound-volume", bad: #"{"aps":{"sound":{"critical":1,"volume":1.1}}}"#,
            good: #"{"aps":{"sound":{"critical":1,"volume":1.0}}}"#),
        RuleFixture("sound-file", bad: #"{"aps":{"sound":"chime"}}"#, good: #"{"aps":{"sound":"chime.caf"}}"#),
    ]
}

// MARK: Alerts and what is seen

extension RuleFixture {
    package static let alerts = [
        RuleFixture("empty-alert", bad: #"{"aps":{"alert":{}}}"#, good: #"{"aps":{"alert":{"title":"Hi"}}}"#),
        RuleFixture(
            "key-with-text", bad: #"{"aps":{"alert":{"title":"Hi","title-loc-key":"HI"}}}"#,
            good: #"{"aps":{"alert":{"title":"Hi","loc-key":"HI"}}}"#),
        RuleFixture(
            "loc-args-without-key", bad: #"{"aps":{"alert":{"body":"Hi","loc-args":["x"]}}}"#,
            good: #"{"aps":{"alert":{"loc-key":"HI","loc-args":["x"]}}}"#),
        RuleFixture(
            "loc-args-count", bad: #"{"aps":{"alert":{"loc-key":"%@ and %@, 100 %%","loc-args":["x"]}}}"#,
            good: #"{"aps":{"alert":{"loc-key":"%2$@ and %1$@","loc-args":["x","y"]}}}"#),
        RuleFixture(
            "summary-arg-count", bad: #"{"aps":{"alert":{"body":"Hi","summary-arg-count":0}}}"#,
            good: #"{"aps":{"alert":{"body":"Hi","summary-arg-count":1}}}"#),
        RuleFixture(
            "title-beside-aps", bad: #"{"aps":{"alert":{"body":"Hi"}},"title":"News"}"#,
            good: #"{"aps":{"alert":{"title":"Hi"}},"title":"News"}"#),
        RuleFixture(
            "interruption-level", bad: #"{"aps":{"alert":"Hi","interruption-level":"timeSensitive"}}"#,
            good: #"{"aps":{"alert":"Hi","interruption-level":"time-sensitive"}}"#),
        RuleFixture(
            "relevance-score", bad: #"{"aps":{"alert":"Hi","relevance-score":75}}"#,
            good: #"{"aps":{"alert":"Hi","relevance-score":0.75}}"#),
        RuleFixture(
            "background-visible", bad: #"{"aps":{"content-available":1,"sound":"default"}}"#,
            good: #"{"aps":{"content-available":1},"sound":"default"}"#, background),
        RuleFixture(
            "background-content-available", bad: #"{"aps":{}}"#, good: #"{"aps":{"content-available":1}}"#, background),
        RuleFixture(
            "content-available-as-alert", bad: #"{"aps":{"content-available":1}}"#,
            good: #"{"aps":{"content-available":1,"alert":"Hi"}}"#, alert),
        RuleFixture("nothing-visible", bad: #"{"aps":{"thread-id":"t"}}"#, good: "{}", alert),
        RuleFixture(
            "mutable-without-alert", bad: #"{"aps":{"badge":1,"mutable-content":1}}"#,
            good: #"{"aps":{"alert":{"loc-key":"HI"},"mutable-content":1}}"#),
        RuleFixture(
            "category-without-alert", bad: #"{"aps":{"sound":"default","category":"C"}}"#,
            good: #"{"aps":{"alert":"Hi","category":"C"}}"#),
        RuleFixture(
            "attachment-without-alert", bad: #"{"aps":{"badge":1},"attachment-url":"https://example.com/a.png"}"#,
            good: #"{"aps":{"content-available":1},"attachment-url":"https://example.com/a.png"}"#),
    ]
}
