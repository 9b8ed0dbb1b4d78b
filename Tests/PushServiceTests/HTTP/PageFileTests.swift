import Foundation
import PushHTTP
import Testing

@testable import PushService

/// The files of the console. What they do is tested in a browser.
@Suite struct PageFileTests {
    private let modules = WebPage.service.files.filter { $0.key.hasSuffix(".js") }

    @Test func `every file that a module of the console imports exists`() {
        #expect(!modules.isEmpty)
        for (path, file) in modules {
            let text = String(decoding: file.bytes, as: UTF8.self)
            let imports = text.matches(of: #/from "(\.{1,2}/[a-z/-]+\.js)"/#)
            #expect(imports.count == text.matches(of: #/from "[^,]/#).count, "\(path)")
            for match in imports {
                let file = URL(string: String(match.1), relativeTo: URL(string: "http://service\(path)"))?.path() ?? ""
                #expect(WebPage.service.files[file] != nil, "\(path) imports \(match.1)")
            }
        }
    }

    @Test func `no file of the console reads markup from text or has inline styles`() {
        let refused = [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "style:",
        ]
        for (path, file) in modules {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for word in refused { #expect(!text.contains(word), "\(path) contains \(word)") }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `the policy allows nothing inline and nothing from elsewhere`() async throws {
        try await RunningService.with { service in
            for path in ["/", "/js/main.js"] {
                let connection = try await HTTPConnection.open(port: service.port)
                let answer = try await connection.ask("GET", path, key: nil)
                connection.close()
                let policy = answer.headers["content-security-policy"] ?? ""
                #expect(answer.status == 200 && policy.contains("default-src 'none'"), "\(policy)")
                #expect(
                    policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe") && !policy.contains("*"))
            }
        }
    }
}
