import TestSupport
import Testing

@testable import PushProvider
@testable import PushWire

@Suite struct GoAwayDescriptionTests {
    @Test(arguments: [
        (UInt32(0), "", "GOAWAY NO_ERROR"),
        (11, "", "GOAWAY ENHANCE_YOUR_CALM"),
        (4711, "", "GOAWAY error code 4711"),
        (0, #"{"reason":"Shutdown"}"#, "GOAWAY NO_ERROR, Shutdown"),
        (0, #"{"reason":"BadCertificateEnvironment","timestamp":1}"#, "GOAWAY NO_ERROR, BadCertificateEnvironment"),
        (0, #"{"reason":"NewIn2030"}"#, "GOAWAY NO_ERROR, NewIn2030"),
        // What Apple sends to a client that opens too many streams.
        (
            7, "Maximum active streams violated for this endpoint.",
            #"GOAWAY REFUSED_STREAM, "Maximum active streams violated for this endpoint.""#
        ),
        (0, #"{"reason":1}"#, #"GOAWAY NO_ERROR, "{"reason":1}""#),
        (0, "two\r\nlines\u{7F}\u{1B}[2J", "GOAWAY NO_ERROR, \"two\u{FFFD}\u{FFFD}lines\u{FFFD}\u{FFFD}[2J\""),
    ])
    func `a GOAWAY says its code, and its reason or its text`(code: UInt32, data: String, words: String) {
        #expect(GoAwayDescription.text(of: .sample(code, Array(data.utf8))) == words)
    }

    @Test func `bytes that are no text, and too much of it, do no harm`() {
        #expect(GoAwayDescription.text(of: .sample(0, [0xFF, 0x41])) == "GOAWAY NO_ERROR, \"\u{FFFD}A\"")
        let long = GoAwayDescription.text(of: .sample(0, Array(repeating: UInt8(ascii: "x"), count: 16_000)))
        #expect(long.count < 300)
    }
}

extension HTTP2GoAway {
    fileprivate static func sample(_ code: UInt32, _ data: [UInt8]) -> HTTP2GoAway {
        HTTP2GoAway(lastStreamID: 0, errorCode: code, debugData: data)
    }
}
