import TestSupport
import Testing

/// The page of the service in a real browser: `Clients/service` has the tests, in Python with Selenium and axe.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct ServicePageTests {
    @Test(
        .enabled(if: BuiltProgram.hasBrowser, "needs chromium, chromedriver, and Selenium and axe beside Python"),
        arguments: ["test_service_page.py", "test_demo.py"])
    func `the page of the service works in a browser, and the demonstration of it`(tests: String) async throws {
        try await BuiltProgram.testPage("service/\(tests)")
    }
}
