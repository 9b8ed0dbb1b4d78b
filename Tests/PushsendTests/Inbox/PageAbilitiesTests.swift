import MockConsole
import TestSupport
import Testing

@testable import pushsend

@Suite struct PageAbilitiesTests {
    @Test(arguments: [
        ("1795330800000", "expiration-form"), ("1577836800", "expiration-past"), ("4102444800", "expiration-far"),
        ("0", nil), ("18446744073709551615", nil),
    ])
    func `the lint of the page reads the expiration`(expiration: String, rule: String?) throws {
        let lint = try #require(PageAbilities.all(.ofThisProcess).lint)
        var push = ComposedPush(payload: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
        push.topic = "com.example.app"
        push.expiration = expiration
        #expect(lint(push).findings.map(\.rule) == [rule].compactMap(\.self))
    }
}
