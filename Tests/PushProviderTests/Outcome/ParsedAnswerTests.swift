import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite struct ParsedAnswerTests {
    @Test func `ids and retry-after are read from the fields, whatever fields are between`() {
        let answer = ParsedAnswer(
            .sample(
                status: 200,
                headers: [
                    ("date", "Tue, 03 Nov 2026 00:00:00 GMT"), ("apns-id", "1294465C-E2AA-61D5-E49A-72E1A3C70BDC"),
                    ("x-apns-id", "no"), ("apns-unique-id", "u"), ("retry-after", "900"),
                ]))
        #expect(answer.apnsID == "1294465C-E2AA-61D5-E49A-72E1A3C70BDC")
        #expect(answer.uniqueID == "u")
        #expect(answer.retryAfter == "900")
        #expect(answer.body == nil)
    }

    @Test func `an answer without fields has no ids`() {
        let answer = ParsedAnswer(.sample(status: 200))
        #expect(answer.apnsID == "")
        #expect(answer.uniqueID == nil)
        #expect(answer.retryAfter == nil)
    }

    @Test func `bytes that are no text do not break the reading`() {
        var headers = HeaderBlock()
        headers.append("apns-id", bytes: [0xFF, 0x41])
        let answer = ParsedAnswer(HTTP2Response.sample(status: 200, block: headers))
        #expect(answer.apnsID == "\u{FFFD}A")
    }

    @Test func `a reason that this library has never heard of survives`() {
        #expect(ReasonBody.sample(#"{"reason":"NewIn2030"}"#).reason == "NewIn2030")
        #expect(ReasonBody.sample(#"{"reason":""}"#).reason == "")
        #expect(ReasonBody.sample(#"{"other":1,"reason":"Bad\u0054opic","more":{}}"#).reason == .badTopic)
    }

    @Test(arguments: [
        "", " ", "null", "1", #""BadTopic""#, "[]", "{}", #"["reason"]"#,
        #"{"reason":1}"#, #"{"reason":null}"#, #"{"reason":true}"#, #"{"reason":["BadTopic"]}"#,
        #"{"reason":{"reason":"BadTopic"}}"#, #"{"Reason":"BadTopic"}"#,
        #"{"reason":"BadTopic""#, #"{"reason":"BadTo"#, #"{"reason":"BadTopic",}garbage"#, "{",
        "<html><body><h1>502 Bad Gateway</h1></body></html>", "Maximum active streams violated for this endpoint.",
    ])
    func `what is no reason is passed over`(body: String) {
        let reading = ReasonBody.sample(body)
        #expect(reading.reason == nil)
        #expect(reading.timestampMilliseconds == nil)
    }

    @Test func `invalid UTF-8 and deep nesting are passed over`() {
        #expect(ReasonBody(Array(#"{"reason":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)).reason == nil)
        #expect(ReasonBody([0x00, 0xFF, 0x7B]).reason == nil)
        #expect(ReasonBody(Array(repeating: UInt8(ascii: "["), count: 60_000)).reason == nil)
        let objects = String(repeating: #"{"a":"#, count: 10_000)
        #expect(ReasonBody.sample(objects).reason == nil)
    }

    @Test(arguments: [
        ("1454948015990", Int64(1_454_948_015_990)), ("1454948015990.0", 1_454_948_015_990),
        ("1454948015990.7", 1_454_948_015_990), ("1.45494801599e12", 1_454_948_015_990), ("1", 1),
        ("253402300799999", 253_402_300_799_999),
    ])
    func `a timestamp is a whole number of milliseconds`(number: String, milliseconds: Int64) {
        let reading = ReasonBody.sample(#"{"reason":"Unregistered","timestamp":\#(number)}"#)
        #expect(reading.timestampMilliseconds == milliseconds)
        #expect(reading.reason == .unregistered)
    }

    @Test(arguments: [
        "0", "-5", "253402300800000", "8.9e18", "9223372036854775807", "-9223372036854775808", "1e30", "-1e30",
        "9223372036854775808", "1e19", "9e18", #""1454948015990""#, "null", "true", "[1]",
    ])
    func `a timestamp that no clock shows is passed over and the reason stays`(value: String) {
        let reading = ReasonBody.sample(#"{"reason":"Unregistered","timestamp":\#(value)}"#)
        #expect(reading.timestampMilliseconds == nil)
        #expect(reading.reason == .unregistered)
    }

    @Test func `without a timestamp there is none`() {
        #expect(ReasonBody.sample(#"{"reason":"Unregistered"}"#).timestampMilliseconds == nil)
    }
}

extension ReasonBody {
    fileprivate static func sample(_ text: String) -> ReasonBody {
        ReasonBody(Array(text.utf8))
    }
}
