import TestSupport
import Testing

/// The page of the mock in a real browser: `Clients/inbox` has the tests, in Python with Selenium and axe.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct InboxPageTests {
    @Test(
        .enabled(
            if: BuiltProgram.hasBrowser && BuiltProgram.pythonHas("httpx"),
            "needs chromium, chromedriver, and Selenium and axe beside Python"),
        arguments: [
            "test_live.py", "test_push.py", "test_phone.py", "test_composer.py", "test_faults.py", "test_hostile.py",
            "test_security.py", "test_accessibility.py", "test_pictures.py",
        ])
    func `the inbox page works in a browser`(file: String) async throws {
        try await BuiltProgram.testPage("inbox/\(file)")
    }
}
