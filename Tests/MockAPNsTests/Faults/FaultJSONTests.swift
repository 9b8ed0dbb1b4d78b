import APNSVocabulary
import PushPlatform
import PushWire
import TestSupport
import Testing

@testable import MockAPNs

@Suite struct FaultJSONTests {
    /// Each kind of value in its written form, which must not change.
    static let golden: [(MockFault, String)] =
        [
            (MockFault(steps: [.noAnswer]), #"{"steps":["no_answer"]}"#),
            (
                MockFault(steps: [.addFields(["retry-after": "900"])]),
                #"{"steps":[{"add_fields":{"retry-after":"900"}}]}"#
            ),
            (
                MockFault(
                    name: "shaky",
                    when: MockFault.Matcher(
                        deviceToken: try? DeviceToken("5f3ad1c07b9e4286"), topic: "com.example.app", pushType: .voip,
                        request: 3,
                        requestOnConnection: .within(2...4), connection: MockFault.Ordinal(from: 2), match: .every(10),
                        probability: 0.25),
                    steps: [.judge], times: 2),
                #"{"name":"shaky","steps":["judge"],"times":2,"when":{"connection":{"from":2},"#
                    + #""device_token":"5f3ad1c07b9e4286","match":{"every":10},"probability":0.25,"push_type":"voip","#
                    + #""request":3,"request_on_connection":{"from":2,"through":4},"topic":"com.example.app"}}"#
            ),
            (
                MockFault(
                    steps: [
                        .wait(.milliseconds(250)), .wait(.microseconds(1500), upTo: .seconds(2)),
                        .answer(
                            status: 410, reason: .unregistered, timestamp: Date(timeIntervalSince1970: 1_700_000_000.5),
                            headers: ["retry-after": "30"]),
                    ]),
                #"{"steps":[{"wait_ms":250},{"wait_ms":{"from":1.5,"through":2000}},{"answer":{"headers":"#
                    + #"{"retry-after":"30"},"reason":"Unregistered","status":410,"timestamp_ms":1700000000500}}]}"#
            ),
            (
                MockFault(steps: [.answer(status: 200, body: "<html>")]),
                #"{"steps":[{"answer":{"body":"<html>","status":200}}]}"#
            ),
            (
                MockFault(steps: [
                    .resetStream(.refusedStream), .resetStream(MockHTTP2Code(rawValue: 99), afterHeaders: true),
                ]),
                #"{"steps":[{"reset_stream":{"code":"REFUSED_STREAM"}},{"reset_stream":{"after_headers":true,"code":99}}]}"#
            ),
            (
                MockFault(
                    steps: [
                        .goAway(.highest), .goAway(.id(5), code: .enhanceYourCalm, reason: .shutdown),
                        .goAway(.below),
                        .goAway(.this), .goAway(.none), .goAway(.newest, code: .noError, text: "bye"),
                    ]),
                #"{"steps":[{"go_away":{"last_stream":"highest"}},{"go_away":{"code":"ENHANCE_YOUR_CALM","last_stream":5,"#
                    + #""text":"{\"reason\":\"Shutdown\"}"}},{"go_away":{"last_stream":"below"}},"#
                    + #"{"go_away":{"last_stream":"this"}},{"go_away":{"last_stream":"none"}},"#
                    + #"{"go_away":{"last_stream":"newest","text":"bye"}}]}"#
            ),
            (
                MockFault(
                    at: .connectionEstablished,
                    steps: [
                        .settings(MockFault.Settings()),
                        .settings(
                            MockFault.Settings(
                                maxConcurrentStreams: 1, initialWindowSize: 0, maxFrameSize: 16_384,
                                maxHeaderListSize: 100,
                                headerTableSize: 0)),
                        .closeConnection(.tlsClosed),
                    ]),
                #"{"at":"connection_established","steps":[{"settings":{}},{"settings":{"header_table_size":0,"#
                    + #""initial_window_size":0,"max_concurrent_streams":1,"max_frame_size":16384,"#
                    + #""max_header_list_size":100}},{"close_connection":"tls_closed"}]}"#
            ),
            (
                MockFault(at: .connectionAccepted, steps: [.closeConnection(.tcpReset)]),
                #"{"at":"connection_accepted","steps":[{"close_connection":"tcp_reset"}]}"#
            ),
        ] + below

    /// What goes below the rules of HTTP/2.
    private static let below: [(MockFault, String)] = [
        (
            MockFault(steps: [
                .wait(.mean(.milliseconds(20))), .wait(.quantiles(median: .milliseconds(5), p99: .milliseconds(60))),
                .openWindow(.this, by: 1), .withhold([.windowUpdates, .pingAnswers]), .withhold([]),
                .trickle(bytes: 1, every: .milliseconds(1)), .stopReading, .fallSilent,
            ]),
            #"{"steps":[{"wait_ms":{"mean":20}},{"wait_ms":{"median":5,"p99":60}},{"open_window":{"by":1,"of":"stream"}},"#
                + #"{"withhold":["PING","WINDOW_UPDATE"]},{"withhold":[]},{"trickle":{"bytes":1,"every_ms":1}},"#
                + #""stop_reading","fall_silent"]}"#
        ),
        (
            MockFault(
                at: .requestHeaders,
                steps: [
                    .repeated(
                        [.frame(MockFault.Frame(.ping, payload: .filled(8))), .wait(.milliseconds(1))], times: 20),
                    .frame(
                        MockFault.Frame(.pushPromise, flags: .endHeaders, on: .this, payload: .bytes([0, 0, 0, 0xAB]))),
                    .frame(MockFault.Frame(.settings, flags: .acknowledges)),
                    .frame(
                        MockFault.Frame(.init(rawValue: 0xEE), flags: .init(rawValue: 0xFF), on: .idle, payload: "x")),
                    .frame(MockFault.Frame(.headers, on: .id(2), fields: [.init(":status", "200"), .init("A", "")])),
                    .frame(MockFault.Frame(.data, payload: "x", declaredLength: 20_000)), .bytes("GET"),
                ]),
            #"{"at":"request_headers","steps":[{"repeat":{"steps":[{"frame":{"payload":{"filled":8},"type":"PING"}},"#
                + #"{"wait_ms":1}],"times":20}},{"frame":{"flags":["END_HEADERS"],"payload":{"hex":"000000ab"},"#
                + #""stream":"this","type":"PUSH_PROMISE"}},{"frame":{"flags":["END_STREAM"],"type":"SETTINGS"}},"#
                + #"{"frame":{"flags":255,"payload":"x","stream":"idle","type":238}},"#
                + #"{"frame":{"fields":[[":status","200"],["A",""]],"stream":2,"type":"HEADERS"}},"#
                + #"{"frame":{"declared_length":20000,"payload":"x","type":"DATA"}},{"bytes":"GET"}]}"#
        ),
        (
            MockFault(steps: [
                .answer(
                    MockFault.Answer(status: 200) {
                        $0.leftOut = ["apns-id"]
                        $0.fields = [.init(":status", "2"), .init(":status", "3")]
                        $0.padding = .init(count: 3, bytes: 10)
                        $0.interim = [100, 103]
                        $0.body = .bytes([0xFF])
                        $0.pieceBytes = 1
                        $0.trailers = ["x": "y"]
                        $0.ends = false
                    })
            ]),
            #"{"steps":[{"answer":{"body":{"hex":"ff"},"ends":false,"fields":[[":status","2"],[":status","3"]],"#
                + #""interim":[100,103],"left_out":["apns-id"],"padding":{"bytes":10,"count":3},"piece_bytes":1,"#
                + #""status":200,"trailers":{"x":"y"}}}]}"#
        ),
        (
            MockFault(
                at: .connectionAccepted,
                steps: [
                    .tls(MockFault.TLS()),
                    .tls(MockFault.TLS(certificate: .otherHost, agreed: .http1, clientCertificate: .unknownAuthority)),
                    .tls(MockFault.TLS(agreed: .nothing)),
                ]),
            #"{"at":"connection_accepted","steps":[{"tls":{}},{"tls":{"alpn":"http/1.1","certificate":"other_host","#
                + #""client_certificate":"unknown_authority"}},{"tls":{"alpn":"nothing"}}]}"#
        ),
        (
            MockFault(steps: [.closeConnection(.tlsAlert)]),
            #"{"steps":[{"close_connection":"tls_alert"}]}"#
        ),
    ]

    @Test(arguments: golden)
    func `a fault is written in this form and read from it`(fault: MockFault, json: String) throws {
        #expect(fault.json == json)
        #expect(try MockFault(json: json) == fault)
    }

    @Test(arguments: MockFault.Step.Key.allCases)
    func `each step has a written form here, and its row in the documentation`(key: MockFault.Step.Key) {
        #expect(Self.golden.contains { $0.1.contains("\"\(key.rawValue)\"") })
        #expect(Repository.text("docs/mock-api.md").contains("\"\(key.rawValue)\""))
    }

    @Test func `a written ordinal can be shorter than it is read`() throws {
        let fault = try MockFault(json: #"{"when":{"request":{"from":5,"through":5,"every":1}},"steps":["judge"]}"#)
        #expect(fault.when.request == 5)
    }

    @Test(arguments: [
        #"{"at":"VALUE","steps":["judge"]}"#, #"{"steps":["VALUE"]}"#, #"{"VALUE":1}"#,
        #"{"steps":[{"frame":{"type":"VALUE"}}]}"#, #"{"steps":[{"close_connection":"VALUE"}]}"#,
    ])
    func `a refusal repeats neither all that was written nor what terminals obey`(json: String) {
        // One character, however many marks it has.
        let value = "\\u001b[2J" + "e" + String(repeating: "\u{301}", count: 5000)
        let error = #expect(throws: MockFaultError.self) {
            try MockFault(json: json.replacing("VALUE", with: value))
        }
        #expect((10...1000).contains(error?.description.utf8.count ?? 0))
        #expect(error?.description.unicodeScalars.contains("\u{1B}") == false)
    }

    static let refused: [(String, MockFaultError.Code, String)] =
        [
            (
                #"{"stesp":[]}"#, .unknownKey,
                #"Unknown key "stesp" in a fault. Did you mean "steps"?"#
            ),
            (#"{"when":{"tokne":"ab"},"steps":["judge"]}"#, .unknownKey, #"Unknown key "tokne" in "when""#),
            (#"{"steps":[{"sleep":1}]}"#, .unknownKey, #"Unknown key "sleep" in a step"#),
            (#"{"steps":[{"answer":{"status":200,"resaon":"x"}}]}"#, .unknownKey, #"Unknown key "resaon" in "answer""#),
            (#"{"steps":[{"go_away":{"last":1}}]}"#, .unknownKey, #"Unknown key "last" in "go_away""#),
            (#"{"steps":[{"settings":{"x":1}}]}"#, .unknownKey, #"Unknown key "x" in "settings""#),
            (#"{"steps":[{"reset_stream":{"code":1,"x":1}}]}"#, .unknownKey, #"Unknown key "x" in "reset_stream""#),
            (#"{"when":{"request":{"to":1}},"steps":["judge"]}"#, .unknownKey, #"Unknown key "to" in a range"#),
            ("nonsense", .malformed, "can't be read"),
            ("[]", .malformed, "can't be read"),
            ("{}", .malformed, #"The fault has no "steps"."#),
            (#"{"steps":["jugde"]}"#, .malformed, #"Unknown step "jugde". Did you mean "judge"?"#),
            (#"{"steps":["answer"]}"#, .malformed, #"has parameters: write it as an object"#),
            (#"{"steps":[5]}"#, .malformed, "must be a string or an object, not a number"),
            (#"{"steps":[{"wait_ms":"5"}]}"#, .malformed, "must be a number or an object, not a string"),
            (#"{"steps":[{"bytes":5}]}"#, .malformed, "must be a string or an object, not a number"),
            (#"{"when":{"request":"1"},"steps":["judge"]}"#, .malformed, "must be a whole number or an object"),
            (#"{"steps":["judge"],"steps":["judge"]}"#, .malformed, #"The key "steps" occurs twice. Remove one."#),
            (#"{"when":{"headers":{"a":"1","a":"2"}},"steps":["judge"]}"#, .malformed, #"The key "a" occurs twice"#),
            (#"{"steps":[{}]}"#, .malformed, "exactly one member"),
            (#"{"steps":[{"wait_ms":1,"judge":1}]}"#, .malformed, "exactly one member"),
            (#"{"steps":[{"judge":{}}]}"#, .malformed, "Write it as a string"),
            (#"{"steps":[{"reset_stream":{"code":"REFUSED"}}]}"#, .malformed, #"Unknown error code "REFUSED""#),
            (#"{"steps":[{"go_away":{"last_stream":"last"}}]}"#, .malformed, #"Unknown last stream "last""#),
            (#"{"steps":[{"close_connection":"rudely"}]}"#, .malformed, "rudely"),
            (#"{"steps":[{"answer":{"status":"200"}}]}"#, .malformed, "at steps"),
            (#"{"steps":[]}"#, .outOfRange, "1 to 100"),
            (#"{"steps":["judge"],"times":0}"#, .outOfRange, "times must be at least 1"),
            (#"{"steps":[{"wait_ms":-1}]}"#, .outOfRange, "0 to 3,600,000 ms"),
            (#"{"steps":[{"wait_ms":1e300}]}"#, .outOfRange, "0 to 3,600,000 ms"),
            (#"{"steps":[{"wait_ms":{"from":2,"through":1}}]}"#, .outOfRange, "the longest not below the shortest"),
            (#"{"steps":[{"answer":{"status":99}}]}"#, .outOfRange, "200 to 599"),
            (#"{"steps":[{"answer":{"status":200,"headers":{"A":"b"}}}]}"#, .outOfRange, "names in headers"),
            (#"{"steps":[{"answer":{"status":200,"headers":{"a":"b\n"}}}]}"#, .outOfRange, "values in headers"),
            (#"{"steps":[{"go_away":{"last_stream":2}}]}"#, .outOfRange, "an odd number or 0"),
            (#"{"steps":[{"settings":{"max_frame_size":1}}]}"#, .outOfRange, "16384 to 16777215"),
            (#"{"steps":[{"settings":{"initial_window_size":2147483648}}]}"#, .outOfRange, "2147483647"),
            (#"{"when":{"probability":1.5},"steps":["judge"]}"#, .outOfRange, "from 0 to 1"),
            (#"{"when":{"request":0},"steps":["judge"]}"#, .outOfRange, "numbers from 1"),
            (#"{"when":{"request":{"every":0}},"steps":["judge"]}"#, .outOfRange, "numbers from 1"),
            (#"{"when":{"device_token":"xyz"},"steps":["judge"]}"#, .outOfRange, "device token"),
            (#"{"at":"connection_accepted","steps":["judge"]}"#, .impossibleHere, #""judge" isn't possible"#),
            (
                #"{"at":"connection_established","steps":[{"go_away":{"last_stream":"this"}}]}"#, .impossibleHere,
                "go_away"
            ),
            (#"{"at":"connection_accepted","steps":[{"settings":{}}]}"#, .impossibleHere, "settings"),
            (
                #"{"at":"connection_accepted","when":{"topic":"a"},"steps":["judge"]}"#, .impossibleHere,
                "no request yet"
            ),
            (#"{"steps":[{"close_connection":"tcp_reset"},"judge"]}"#, .impossibleHere, "Nothing can follow"),
        ] + refusedBelow

    private static let refusedBelow: [(String, MockFaultError.Code, String)] = [
        (#"{"steps":[{"frame":{"type":"PINGS"}}]}"#, .malformed, #"Unknown frame type "PINGS""#),
        (#"{"steps":[{"frame":{"type":"PING","flags":["NAK"]}}]}"#, .malformed, #"Unknown flag "NAK""#),
        (#"{"steps":[{"frame":{"type":"PING","stream":"that"}}]}"#, .malformed, #"Unknown stream of a frame "that""#),
        (#"{"steps":[{"frame":{"type":1,"payload":"x","fields":[]}}]}"#, .malformed, "either a"),
        (#"{"steps":[{"frame":{"type":1,"fields":[["a"]]}}]}"#, .malformed, "a list of two strings"),
        (#"{"steps":[{"frame":{"type":1,"size":2}}]}"#, .unknownKey, #"Unknown key "size" in "frame""#),
        (#"{"steps":[{"frame":{"type":300}}]}"#, .outOfRange, "0 to 255"),
        (#"{"steps":[{"frame":{"type":1,"flags":-1}}]}"#, .outOfRange, "0 to 255"),
        (#"{"steps":[{"settings":{"max_concurrent_streams":5000000000}}]}"#, .outOfRange, "0 to 4294967295"),
        (#"{"steps":[{"reset_stream":{"code":-1}}]}"#, .outOfRange, "0 to 4294967295"),
        (#"{"steps":[{"frame":{"type":1,"stream":-1}}]}"#, .outOfRange, "0 to 2147483647"),
        (#"{"steps":[{"frame":{"type":1,"declared_length":16777216}}]}"#, .outOfRange, "0 to 16777215"),
        (
            #"{"name":"e\#(String(repeating: "\u{301}", count: 200))","steps":["judge"]}"#, .outOfRange,
            "at most 200 characters"
        ),
        (#"{"steps":[{"bytes":{"hex":"abc"}}]}"#, .malformed, "pairs of the digits"),
        (#"{"steps":[{"bytes":{"hex":"zz"}}]}"#, .malformed, "pairs of the digits"),
        (#"{"steps":[{"bytes":{}}]}"#, .malformed, "either"),
        (#"{"steps":[{"bytes":{"filled":-1}}]}"#, .outOfRange, "at most 1 MiB"),
        (#"{"steps":[{"bytes":{"filled":1048577}}]}"#, .outOfRange, "at most 1 MiB"),
        (#"{"steps":[{"answer":{"status":200,"body":{"filled":9000000}}}]}"#, .outOfRange, "at most 1 MiB"),
        (#"{"steps":[{"answer":{"status":200,"interim":[200]}}]}"#, .outOfRange, "100 to 199"),
        (#"{"steps":[{"answer":{"status":200,"piece_bytes":0}}]}"#, .outOfRange, "1 to 16,384"),
        (#"{"steps":[{"answer":{"status":200,"padding":{"count":9999,"bytes":60000}}}]}"#, .outOfRange, "4 MB"),
        (#"{"steps":[{"answer":{"status":200,"trailers":{"A":"b"}}}]}"#, .outOfRange, "names in trailers"),
        (#"{"steps":[{"wait_ms":{"mean":1,"p99":2}}]}"#, .malformed, "or have"),
        (#"{"steps":[{"wait_ms":{"median":0,"p99":2}}]}"#, .outOfRange, "more than 0 ms"),
        (#"{"steps":[{"wait_ms":{"median":3,"p99":2}}]}"#, .outOfRange, "the longest not below the shortest"),
        (#"{"steps":[{"open_window":{"of":"stream","by":0}}]}"#, .outOfRange, "1 to 2147483647"),
        (#"{"steps":[{"withhold":["DATA"]}]}"#, .malformed, "DATA"),
        (#"{"steps":[{"trickle":{"bytes":0,"every_ms":1}}]}"#, .outOfRange, "1 to 65,536 bytes"),
        (#"{"steps":[{"trickle":{"bytes":1,"every_ms":0}}]}"#, .outOfRange, "1 to 60,000 ms"),
        (#"{"steps":[{"repeat":{"times":0,"steps":["judge"]}}]}"#, .outOfRange, "1 to 1,000,000 times"),
        (#"{"steps":[{"repeat":{"times":9,"steps":[{"wait_ms":-1}]}}]}"#, .outOfRange, "0 to 3,600,000 ms"),
        (#"{"steps":[{"repeat":{"times":999,"steps":[{"bytes":{"filled":999999}}]}}]}"#, .outOfRange, "100 MB"),
        (
            #"{"steps":[{"repeat":{"times":9,"steps":[{"close_connection":"tcp_reset"}]}}]}"#, .impossibleHere,
            #"isn't possible in a "repeat""#
        ),
        (
            #"{"steps":[{"repeat":{"times":2,"steps":[{"bytes":{"filled":9223372036854775807}}]}}]}"#, .outOfRange,
            "at most 1 MiB"
        ),
        (
            #"{"steps":[{"repeat":{"times":2,"steps":[{"frame":{"type":1,"payload":{"filled":9223372036854775807}}}]}}]}"#,
            .outOfRange, "at most 1 MiB"
        ),
        (#"{"steps":[{"repeat":{"times":2,"steps":["judge"]}}]}"#, .impossibleHere, #"isn't possible in a "repeat""#),
        (#"{"at":"request_headers","steps":["judge"]}"#, .impossibleHere, #""judge" isn't possible"#),
        (
            #"{"at":"request_headers","when":{"request":1},"steps":["no_answer"]}"#, .impossibleHere,
            "aren't counted yet"
        ),
        (#"{"steps":[{"tls":{}}]}"#, .impossibleHere, #""tls" isn't possible"#),
        (#"{"at":"connection_accepted","steps":[{"tls":{"alpn":"h3"}}]}"#, .malformed, "h3"),
        (#"{"at":"connection_accepted","steps":[{"frame":{"type":1}}]}"#, .impossibleHere, "frame"),
        (#"{"at":"connection_established","steps":[{"frame":{"type":1,"stream":"this"}}]}"#, .impossibleHere, "frame"),
        (#"{"at":"connection_accepted","steps":[{"close_connection":"tls_alert"}]}"#, .impossibleHere, "close"),
    ]

    @Test(arguments: refused)
    func `what is no fault is refused in words`(json: String, code: MockFaultError.Code, words: String) {
        #expect { try MockFault(json: json) } throws: { error in
            guard let error = error as? MockFaultError else { return false }
            return error.code == code && error.description.contains(words)
        }
    }
}
