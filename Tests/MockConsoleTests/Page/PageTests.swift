import APNSVocabulary
import Foundation
import HTTPTypes
import MockAPNs
import PushHTTP
import PushJSON
import Testing

@testable import MockConsole

/// The files of the inbox page, and who gets them.
@Suite struct PageTests {
    @Test func `the page and all its files are served, with their types`() async throws {
        let console = try await Console()
        let page = await console.ask(.get, "/?theme=dark")
        #expect(page.status == 200)
        #expect(page.headers[.contentType] == "text/html; charset=utf-8")
        #expect(page.text.hasPrefix("<!doctype html>"))
        for (path, type) in [
            ("/js/main.js", "text/javascript"), ("/css/tokens.css", "text/css"), ("/assets/mark.svg", "image/svg"),
        ] {
            let file = await console.ask(.get, path)
            #expect(file.status == 200 && file.headers[.contentType]?.hasPrefix(type) == true, "\(path)")
        }
        #expect(await console.ask(.get, "/index.html").status == 404)
        #expect(await console.ask(.get, "/js/../js/main.js").status == 404)
        await console.end()
    }

    @Test func `every file that a module imports exists`() async throws {
        for (path, file) in WebPage.inbox.files where path.hasSuffix(".js") {
            let text = String(decoding: file.bytes, as: UTF8.self)
            let imports = text.matches(of: #/from "(\.{1,2}/[a-z/-]+\.js)"/#)
            #expect(imports.count == text.matches(of: #/from "/#).count, "\(path)")
            for match in imports {
                let file = URL(string: String(match.1), relativeTo: URL(string: "http://mock\(path)"))?.path() ?? ""
                #expect(WebPage.inbox.files[file] != nil, "\(path) imports \(match.1)")
            }
        }
    }

    @Test func `no file reads markup from text, has inline styles or addresses elsewhere`() {
        let refused = [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "style:",
            "https://",
        ]
        for (path, file) in WebPage.inbox.files where path.hasSuffix(".js") || path == "/" {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for word in refused where !(word == "https://" && path == "/js/list/empty.js") {
                #expect(!text.contains(word), "\(path) contains \(word)")
            }
        }
    }

    @Test func `the policy allows nothing inline and nothing from elsewhere`() async throws {
        let console = try await Console()
        for path in ["/", "/js/main.js"] {
            let answer = await console.ask(.get, path)
            let policy = answer.headers[.contentSecurityPolicy] ?? ""
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"))
            #expect(answer.headers[.xContentTypeOptions] == "nosniff")
        }
        await console.end()
    }

    @Test func `a file that has not changed is not sent again`() async throws {
        let console = try await Console()
        let tag = await console.ask(.get, "/js/main.js").headers[.eTag] ?? ""
        let again = await console.ask(.get, "/js/main.js", headers: [("if-none-match", tag)])
        #expect(again.status == 304 && again.body.isEmpty)
        #expect(await console.ask(.get, "/js/main.js", headers: [("if-none-match", "\"other\"")]).status == 200)
        await console.end()
    }

    @Test func `the page needs no access token, and its API does`() async throws {
        var configuration = ConsoleConfiguration()
        configuration.accessToken = "secret-token"
        let console = try await Console(configuration)
        #expect(await console.ask(.get, "/").status == 200)
        #expect(await console.ask(.get, "/v1/setup").status == 401)
        #expect(await console.ask(.get, "/", host: "evil.example").status == 421)
        await console.end()
    }

    @Test(arguments: ["cross-site", "same-site"])
    func `what a browser asks for another site is refused, except a link`(site: String) async throws {
        let console = try await Console()
        for path in ["/v1/pushes", "/js/main.js"] {
            let answer = await console.ask(
                .get, path, headers: [("sec-fetch-site", site), ("sec-fetch-mode", "no-cors")])
            #expect(answer.status == 403 && answer["code"]?.string == "cross_origin")
        }
        let link = [("sec-fetch-site", site), ("sec-fetch-mode", "navigate")]
        #expect(await console.ask(.get, "/", headers: link).status == 200)
        #expect(await console.ask(.post, "/v1/reset", "{}", headers: link).status == 403)
        #expect(await console.ask(.get, "/v1/pushes", headers: [("sec-fetch-site", "same-origin")]).status == 200)
        await console.end()
    }
}
