import Foundation
import TestSupport
import Testing

extension BuiltProgram {
    /// Whether pages can be tested in a browser, with Selenium and axe.
    static let hasBrowser =
        isInstalled("chromium") && isInstalled("chromedriver")
        && ["selenium", "axe_selenium_python", "pytest"].allSatisfy(pythonHas)

    /// Runs a file of tests in Python, of a page in a browser.
    static func testPage(_ file: String) async throws {
        let python = try #require(python)
        let workspace = try Workspace()
        let program = try workspace.start(
            URL(filePath: "/usr/bin/env"),
            [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", client(file)],
            environment: [
                "PUSHSEND_BINARY": pushsend.path(percentEncoded: false), "PYTHONDONTWRITEBYTECODE": "1",
            ], limit: .seconds(3600))
        let ended = await program.end()
        #expect(ended.status == 0, "\(ended.output.suffix(8000))\(ended.errors.suffix(2000))")
    }
}
