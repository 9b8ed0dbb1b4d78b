import Testing

@testable import PushJSON
@testable import PushProvider
@testable import pushsend

@Suite struct PrettyJSONTests {
    @Test func `Apple's keys come in Apple's order, others by their names`() {
        let value: PushJSONValue = [
            "zebra": 1, "apple": [1, "two", nil], "aps": ["sound": "default", "alert": ["body": "B", "title": "T"]],
            "nested": [["x": []], ["y": [:]]],
        ]
        #expect(
            PrettyJSON.text(value) == """
                {
                    "aps": {
                        "alert": {
                            "title": "T",
                            "body": "B"
                        },
                        "sound": "default"
                    },
                    "apple": [1, "two", null],
                    "nested": [
                        {
                            "x": []
                        },
                        {
                            "y": {}
                        }
                    ],
                    "zebra": 1
                }

                """)
    }

    @Test func `it is read back as it was`() throws {
        let value: PushJSONValue = ["t": "q\"\\\n\u{1F}é🚀", "n": -0.5, "e": [:], "l": [], "b": [true, nil]]
        #expect(PushJSONValue(json: Array(PrettyJSON.text(value).utf8)) == value)
        #expect(PrettyJSON.text("x") == "\"x\"\n")
    }
}
