import PushCommandLine
import PushProvider
import TestSupport
import Testing

@testable import pushsend

/// What is said of a value that an option cannot take.
@Suite struct OptionValueTests {
    @Test(arguments: [
        ("The value 'abc' is invalid for '--badge <number>'", "--badge takes a whole number, not \"abc\"."),
        (
            "The value 'live' is invalid for '-e <environment>'. Please provide one of 'sandbox' and 'production'.",
            "-e can't be \"live\": use sandbox or production."
        ),
        ("The value 'x' is invalid for '--limit <name=value|none>': why not", "--limit can't be \"x\": why not."),
        (
            "The value '5' is invalid for '--expires <when>'",
            "--expires can't be \"5\". Did you mean 5s? A duration needs a unit."
        ),
        (
            "The value 'it's' is invalid for '--port <port>'",
            "--port takes a port, a whole number from 1 to 65535, not \"it's\"."
        ),
        ("The value 'x' is invalid for '--strange <thing>'", "--strange can't be \"x\"."),
    ])
    func `names the option, what it takes, and the value`(problem: String, sentence: String) {
        #expect(OptionValue.refusal(problem) == sentence)
    }

    @Test(arguments: ["Unknown option '--x'", "Missing value for '--badge <number>'", "The value"])
    func `other messages stay as they are`(problem: String) {
        #expect(OptionValue.refusal(problem) == nil)
    }
}

@Suite struct ExpiresArgumentTests {
    @Test(arguments: ["2026-11-22T07:00:00+0100", "2026-11-22T06:00", "2026-11-22 06:00:00Z"])
    func `a time can have a short zone or no seconds`(text: String) {
        #expect(ExpiresArgument(argument: text)?.expiration == .until(secondsSince1970: 1_795_327_200))
    }

    @Test func `a date that does not exist is no time`() {
        #expect(ExpiresArgument(argument: "2026-02-31") == nil)
    }
}
