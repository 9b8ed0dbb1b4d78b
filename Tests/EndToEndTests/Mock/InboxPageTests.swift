import Foundation
import TestSupport
import Testing

/// The page of the mock in a real browser: `Clients/inbox` has the tests, in Python with Selenium and axe.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct InboxPageTests {
    private static let canRun =
        BuiltProgram.isInstalled("chromium") && BuiltProgram.isInstalled("chromedriver")
        && ["selenium", "axe_selenium_python", "pytest", "httpx"].allSatisfy(BuiltProgram.pythonHas)

    @Test(
        .enabled(if: canRun, "needs chromium, chromedriver, and Selenium and axe beside Python"),
        arguments: [
            "test_live.py", "test_push.py", "test_phone.py", "test_composer.py", "test_faults.py", "test_hostile.py",
            "test_security.py", "test_accessibility.py", "test_pictures.py",
        ])
    func `the inbox page works in a browser`(file: String) async throws {
        let python = try #require(BuiltProgram.python)
        let workspace = try Workspace()
        let program = try workspace.start(
            URL(filePath: "/usr/bin/env"),
            [
                python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short",
                BuiltProgram.client("inbox/\(file)"),
            ],
            environment: [
                "PUSHSEND_BINARY": BuiltProgram.pushsend.path(percentEncoded: false), "PYTHONDONTWRITEBYTECODE": "1",
            ], limit: .seconds(3600))
        let ended = await program.end()
        #expect(ended.status == 0, "\(ended.output.suffix(8000))\(ended.errors.suffix(2000))")
    }
}
