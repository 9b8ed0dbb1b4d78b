import PushCommandLine
import Testing

@testable import pushsend

/// The address that a mock listens on.
@Suite struct ListenArgumentTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("[::1]", "::1"), ("::", "::"), ("localhost", "localhost"),
        ("2001:db8::1:2197", "2001:db8::1:2197"), ("::ffff:127.0.0.1", "::ffff:127.0.0.1"), ("*", "*"),
    ])
    func `an address has no port`(text: String, address: String) {
        #expect(ListenArgument(argument: text)?.address == address)
    }

    @Test(arguments: [
        ("::1:0", "--listen ::1 --port 0."), ("[::1]:2197", "--listen ::1 --port 2197."),
        ("127.0.0.1:2197", "--listen 127.0.0.1 --port 2197."), ("localhost:0", "--listen localhost --port 0."),
        ("[::1", "such as 127.0.0.1 or ::1."), ("", "such as 127.0.0.1 or ::1."), ("[::g]", "such as 127.0.0.1"),
        ("http://127.0.0.1", "such as 127.0.0.1"), ("127.0.0.1/8", "such as 127.0.0.1"), (":80", "such as 127.0.0.1"),
        (" ::1", "such as 127.0.0.1"),
    ])
    func `what is no address is refused, and a port gets its own option`(text: String, advice: String) throws {
        #expect(ListenArgument(argument: text) == nil)
        let sentence = try #require(OptionValue.refusal("The value '\(text)' is invalid for '--listen <address>'"))
        #expect(sentence.contains(advice), "\(sentence)")
    }
}
