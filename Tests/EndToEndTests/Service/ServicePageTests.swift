import Foundation
import TestSupport
import Testing

/// The page of the service in a real browser: `Clients/service` has the tests, in Python with Selenium and axe.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct ServicePageTests {
    private static let canRun =
        BuiltProgram.isInstalled("chromium") && BuiltProgram.isInstalled("chromedriver")
        && ["selenium", "axe_selenium_python", "pytest"].allSatisfy(BuiltProgram.pythonHas)

    @Test(
        .enabled(if: canRun, "needs chromium, chromedriver, and Selenium and axe beside Python"),
        arguments: ["test_service_page.py", "test_demo.py"])
    func `the page of the service works in a browser, and the demonstration of it`(tests: String) async throws {
        let python = try #require(BuiltProgram.python)
        let workspace = try Workspace()
        let program = try workspace.start(
            URL(filePath: "/usr/bin/env"),
            [
                python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short",
                BuiltProgram.client("service/\(tests)"),
            ],
            environment: [
                "PUSHSEND_BINARY": BuiltProgram.pushsend.path(percentEncoded: false), "PYTHONDONTWRITEBYTECODE": "1",
            ], limit: .seconds(3600))
        let ended = await program.end()
        #expect(ended.status == 0, "\(ended.output.suffix(8000))\(ended.errors.suffix(2000))")
    }
}
