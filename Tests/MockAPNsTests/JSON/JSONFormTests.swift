import Testing

@testable import MockAPNs

@Suite struct JSONFormTests {
    @Test(arguments: [
        "{}", " {\n} ", #"{"a":{}}"#, #"{"a":[],"b":[1,-0.5e+10,0,1E3],"c":[true,false,null]}"#,
        #"{"a":"\"\\\/\b\f\n\r\t\u00e9 é"}"#, #" { "a" : [ 1 , { } ] , "b" : "" } "#,
        #"{"a":"# + String(repeating: "[", count: 499) + String(repeating: "]", count: 499) + "}",
    ])
    func `a JSON object is one`(text: String) {
        #expect(JSONForm.isObject(Array(text.utf8)))
    }

    @Test(arguments: [
        "", " ", "{", "}", "[]", "1", "null", #""a""#, "{}{}", "{} x", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,}"#,
        #"{,"a":1}"#, #"{"a":[,1]}"#,
        #"{"a":[1,]}"#, #"{"a":[1 2]}"#, #"{"a":1 "b":2}"#, #"{a:1}"#, #"{'a':1}"#, #"{"a":01}"#, #"{"a":1.}"#,
        #"{"a":.5}"#, #"{"a":+1}"#, #"{"a":1e}"#, #"{"a":-}"#, #"{"a":NaN}"#, #"{"a":tru}"#, #"{"a":"\x"}"#,
        #"{"a":"\u12"}"#, #"{"a":"\u12g4"}"#, #"{"a":""#, #"{"a":"\"#, "{\"a\":\"\u{1}\"}", "{\"a\":\"\n\"}",
        #"{"a":1]"#,
        "{\"a\":1}\0",
        #"{"a":"# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}",
    ])
    func `what is not a JSON object is none`(text: String) {
        #expect(!JSONForm.isObject(Array(text.utf8)))
    }

    @Test func `bytes that are not UTF-8 are no JSON`() {
        #expect(!JSONForm.isObject(Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8)))
    }

    @Test func `every beginning of an object is refused without harm`() {
        let whole = Array(#"{"a":[1.5e-3,{"b":"\u00e9\n"},true,null],"c":{}}"#.utf8)
        #expect(JSONForm.isObject(whole))
        for count in 0..<whole.count { #expect(!JSONForm.isObject(Array(whole[..<count]))) }
    }
}
