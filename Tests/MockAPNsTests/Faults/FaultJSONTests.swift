import APNSVocabulary
import Testing

@testable import MockAPNs

@Suite struct FaultJSONTests {
    /// Each kind of value in its written form, which must not change.
    static let golden: [(Fault, String)] = [
        (Fault(steps: [.noAnswer]), #"{"steps":["no_answer"]}"#),
        (
            Fault(
                name: "shaky",
                when: FaultMatcher(
                    deviceToken: try? DeviceToken("5f3ad1c07b9e4286"), topic: "com.example.app", pushType: .voip,
                    request: 3,
                    requestOnConnection: .within(2...4), connection: FaultOrdinal(from: 2), match: .every(10),
                    probability: 0.25),
                steps: [.judge], times: 2),
            #"{"name":"shaky","steps":["judge"],"times":2,"when":{"connection":{"from":2},"#
                + #""device_token":"5f3ad1c07b9e4286","match":{"every":10},"probability":0.25,"push_type":"voip","#
                + #""request":3,"request_on_connection":{"from":2,"through":4},"topic":"com.example.app"}}"#
        ),
        (
            Fault(
                steps: [
                    .wait(.milliseconds(250)), .wait(.microseconds(1500), upTo: .seconds(2)),
                    .answer(
                        status: 410, reason: .unregistered, timestamp: Moment(secondsSince1970: 1_700_000_000.5),
                        headers: ["retry-after": "30"]),
                ]),
            #"{"steps":[{"wait_ms":250},{"wait_ms":{"from":1.5,"through":2000}},{"answer":{"headers":"#
                + #"{"retry-after":"30"},"reason":"Unregistered","status":410,"timestamp_ms":1700000000500}}]}"#
        ),
        (
            Fault(steps: [.answer(status: 200, body: "<html>")]),
            #"{"steps":[{"answer":{"body":"<html>","status":200}}]}"#
        ),
        (
            Fault(steps: [.resetStream(.refusedStream), .resetStream(HTTP2Code(rawValue: 99), afterHeaders: true)]),
            #"{"steps":[{"reset_stream":{"code":"REFUSED_STREAM"}},{"reset_stream":{"after_headers":true,"code":99}}]}"#
        ),
        (
            Fault(
                steps: [
                    .goAway(.highest), .goAway(.stream(5), code: .enhanceYourCalm, reason: .shutdown), .goAway(.below),
                    .goAway(.this), .goAway(.none), .goAway(FaultGoAway(text: "bye")),
                ]),
            #"{"steps":[{"go_away":{"last_stream":"highest"}},{"go_away":{"code":"ENHANCE_YOUR_CALM","last_stream":5,"#
                + #""text":"{\"reason\":\"Shutdown\"}"}},{"go_away":{"last_stream":"below"}},"#
                + #"{"go_away":{"last_stream":"this"}},{"go_away":{"last_stream":"none"}},"#
                + #"{"go_away":{"last_stream":"newest","text":"bye"}}]}"#
        ),
        (
            Fault(
                at: .connectionEstablished,
                steps: [
                    .settings(FaultSettings()),
                    .settings(
                        FaultSettings(
                            maxConcurrentStreams: 1, initialWindowSize: 0, maxFrameSize: 16_384, maxHeaderListSize: 100,
                            headerTableSize: 0)),
                    .closeConnection(.tlsClosed),
                ]),
            #"{"at":"connection_established","steps":[{"settings":{}},{"settings":{"header_table_size":0,"#
                + #""initial_window_size":0,"max_concurrent_streams":1,"max_frame_size":16384,"#
                + #""max_header_list_size":100}},{"close_connection":"tls_closed"}]}"#
        ),
        (
            Fault(at: .connectionAccepted, steps: [.closeConnection(.tcpReset)]),
            #"{"at":"connection_accepted","steps":[{"close_connection":"tcp_reset"}]}"#
        ),
    ]

    @Test(arguments: golden)
    func `a fault is written in this form and read from it`(fault: Fault, json: String) throws {
        #expect(fault.json == json)
        #expect(try Fault(json: json) == fault)
    }

    @Test func `a written ordinal can be shorter than it is read`() throws {
        let fault = try Fault(json: #"{"when":{"request":{"from":5,"through":5,"every":1}},"steps":["judge"]}"#)
        #expect(fault.when.request == 5)
    }

    static let refused: [(String, FaultError.Code, String)] = [
        (#"{"stesp":[]}"#, .unknownKey, #"There is no "stesp" in a fault: it can have name, at, when, steps, times."#),
        (#"{"when":{"tokne":"ab"},"steps":["judge"]}"#, .unknownKey, #"There is no "tokne" in "when""#),
        (#"{"steps":[{"sleep":1}]}"#, .unknownKey, #"There is no "sleep" in a step"#),
        (#"{"steps":[{"answer":{"status":200,"resaon":"x"}}]}"#, .unknownKey, #"There is no "resaon" in "answer""#),
        (#"{"steps":[{"go_away":{"last":1}}]}"#, .unknownKey, #"There is no "last" in "go_away""#),
        (#"{"steps":[{"settings":{"x":1}}]}"#, .unknownKey, #"There is no "x" in "settings""#),
        (#"{"steps":[{"reset_stream":{"code":1,"x":1}}]}"#, .unknownKey, #"There is no "x" in "reset_stream""#),
        (#"{"when":{"request":{"to":1}},"steps":["judge"]}"#, .unknownKey, #"There is no "to" in which ones"#),
        ("nonsense", .malformed, "cannot be read"),
        ("[]", .malformed, "cannot be read"),
        ("{}", .malformed, #"The fault has no "steps"."#),
        (#"{"steps":["jugde"]}"#, .malformed, #"There is no step "jugde""#),
        (#"{"steps":[{}]}"#, .malformed, "exactly one member"),
        (#"{"steps":[{"wait_ms":1,"judge":1}]}"#, .malformed, "exactly one member"),
        (#"{"steps":[{"judge":{}}]}"#, .malformed, "a word alone"),
        (#"{"steps":[{"reset_stream":{"code":"REFUSED"}}]}"#, .malformed, #"no error code "REFUSED""#),
        (#"{"steps":[{"go_away":{"last_stream":"last"}}]}"#, .malformed, #"There is no last stream "last""#),
        (#"{"steps":[{"close_connection":"rudely"}]}"#, .malformed, "rudely"),
        (#"{"steps":[{"answer":{"status":"200"}}]}"#, .malformed, "at steps"),
        (#"{"steps":[]}"#, .outOfRange, "1 to 100"),
        (#"{"steps":["judge"],"times":0}"#, .outOfRange, "times must be at least 1"),
        (#"{"steps":[{"wait_ms":-1}]}"#, .outOfRange, "0 to 3 600 000 ms"),
        (#"{"steps":[{"wait_ms":1e300}]}"#, .outOfRange, "0 to 3 600 000 ms"),
        (#"{"steps":[{"wait_ms":{"from":2,"through":1}}]}"#, .outOfRange, "the longest not before the shortest"),
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
        (#"{"at":"connection_accepted","steps":["judge"]}"#, .impossibleHere, #""judge" is not possible"#),
        (#"{"at":"connection_established","steps":[{"go_away":{"last_stream":"this"}}]}"#, .impossibleHere, "go_away"),
        (#"{"at":"connection_accepted","steps":[{"settings":{}}]}"#, .impossibleHere, "settings"),
        (#"{"at":"connection_accepted","when":{"topic":"a"},"steps":["judge"]}"#, .impossibleHere, "no request yet"),
        (#"{"steps":[{"close_connection":"tcp_reset"},"judge"]}"#, .impossibleHere, "Nothing can follow"),
    ]

    @Test(arguments: refused)
    func `what is no fault is refused in words`(json: String, code: FaultError.Code, words: String) {
        #expect { try Fault(json: json) } throws: { error in
            guard let error = error as? FaultError else { return false }
            return error.code == code && error.description.contains(words)
        }
    }
}
