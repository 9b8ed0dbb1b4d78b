import Foundation
import Testing

@testable import PushProvider

@Suite struct PushProxyTests {
    @Test(arguments: [
        ("http://proxy.example:3128", "proxy.example:3128"), ("proxy.example:3128", "proxy.example:3128"),
        ("HTTP://proxy.example:3128/", "proxy.example:3128"), ("http://proxy.example", "proxy.example:1080"),
        ("10.0.0.1:8080", "10.0.0.1:8080"), ("http://[::1]:3128", "[::1]:3128"),
        ("[2001:db8::7]", "[2001:db8::7]:1080"),
        ("http://[fe80::1%25eth0]:3128", "[fe80::1%eth0]:3128"), ("http://a@b@proxy:1", "proxy:1"),
    ])
    func `a URL of a proxy is read as curl reads it`(url: String, description: String) throws {
        let proxy = try PushProxy(url: url)
        #expect(proxy.description == description)
        #expect(proxy.hasCredentials == url.contains("@"))
    }

    @Test(arguments: [
        ("http://user:pass@p:1", "user:pass"), ("user@p:1", "user:"), ("http://:@p:1", ":"),
        ("http://us%65r:p%40ss%2Fw%3Ard@p:1", "user:p@ss/w:rd"), ("http://u:a:b@p:1", "u:a:b"),
        ("http://%C3%A4:%E2%82%AC@p:1", "ä:€"), ("http://ä:€@p:1", "ä:€"),
    ])
    func `the proxy gets the intended user and password`(url: String, credentials: String) throws {
        let request = String(decoding: try PushProxy(url: url).request(to: .sandbox), as: UTF8.self)
        let proof = Data(credentials.utf8).base64EncodedString()
        #expect(
            request == """
                CONNECT api.sandbox.push.apple.com:443 HTTP/1.1\r\nHost: api.sandbox.push.apple.com:443\r\n\
                User-Agent: PushProvider\r\nProxy-Authorization: Basic \(proof)\r\n\r\n
                """)
    }

    @Test(arguments: [
        (PushEnvironment(host: "::1", port: 2197), "[::1]:2197"), (.production(port: 2197), "api.push.apple.com:2197"),
        (PushEnvironment(host: "fe80::1%eth0", port: 443), "[fe80::1]:443"),
    ])
    func `an address is asked for in brackets, and the port is always there`(
        environment: PushEnvironment, target: String
    )
        throws
    {
        let request = String(decoding: try PushProxy(host: "p").request(to: environment), as: UTF8.self)
        #expect(request.hasPrefix("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"))
        #expect(!request.contains("Authorization"))
    }

    private static let secret = "hunter2"

    @Test(arguments: [
        ("", "has no host"), ("http://", "has no host"), ("http://:3128", "has no host"),
        ("http://u:hunter2@", "has no host"),
        ("http://u:hunter2@:3128", "has no host"), ("socks5://u:hunter2@p:1", "is a SOCKS proxy (socks5://)"),
        ("socks5h://p:1", "is a SOCKS proxy (socks5h://)"), ("https://u:hunter2@p:1", "is an HTTPS proxy (https://)"),
        ("ftp://u:hunter2@p:1", "has the scheme ftp://"), ("u:hunter2://p:1", "isn't the URL of a proxy"),
        ("://p", "isn't the URL of a proxy"), ("http://u:hunter2@p:0", "isn't a number from 1 to 65535"),
        ("http://u:hunter2@p:65536", "isn't a number from 1 to 65535"), ("http://p:", "isn't a number from 1 to 65535"),
        ("http://p:+80", "isn't a number from 1 to 65535"), ("http://p:80x", "isn't a number from 1 to 65535"),
        ("http://p:99999999999999999999", "isn't a number from 1 to 65535"),
        ("http://u:hunter2%0Ax@p:1", "control character in its user or password"),
        ("http://u%00:hunter2@p:1", "control character in its user or password"),
        ("http://u:hunter2\r\nX: y@p:1", "a space or a control character"),
        ("http://u%3Av:hunter2@p:1", "has a colon in its user"), ("http://u:hunter2%@p:1", "two hex digits"),
        ("http://u:hunter2%4@p:1", "two hex digits"), ("http://u:hunter2%ää@p:1", "two hex digits"),
        ("http://u:hunter2/x@p:1", "more than a host and a port"), ("http://p:1/path", "more than a host and a port"),
        ("http://p:1?query", "more than a host and a port"), ("http://::1:3128", "without brackets"),
        ("http://u:hunter2@::1:8080", "write http://[::1]:8080."),
        ("http://[::g]:1", "characters that a host name can't"),
        ("http://[::1:3128", "without its closing bracket"), ("http://[::1]3128", "no valid port"),
        ("http://p\"q:1", "characters that a host name can't have"),
    ])
    func `what is no proxy is refused in words that keep its secrets`(url: String, words: String) throws {
        let error = try #require(throws: PushConfigurationError.self) { try PushProxy(url: url) }
        #expect(error.name == "proxy")
        #expect(error.description.hasPrefix("proxy "), "\(error)")
        #expect(error.description.contains(words), "\(error)")
        #expect(!error.description.contains(Self.secret), "\(error)")
    }

    @Test func `its parts are refused like its URL`() {
        #expect(throws: PushConfigurationError.self) { try PushProxy(host: "") }
        #expect(throws: PushConfigurationError.self) { try PushProxy(host: "a\r\nb") }
        #expect(throws: PushConfigurationError.self) { try PushProxy(host: "p", port: 0) }
        #expect(throws: PushConfigurationError.self) { try PushProxy(host: "p", user: "a\nb") }
        #expect(throws: PushConfigurationError.self) { try PushProxy(host: "p", user: "a:b") }
    }

    @Test func `user and password are shown nowhere`() throws {
        let proxy = try PushProxy(url: "http://somebody:\(Self.secret)@p:1")
        var configuration = PushConfiguration()
        configuration.proxy = proxy
        var texts = ["\(proxy)", String(reflecting: proxy), "\(configuration)", String(reflecting: configuration)]
        for value in [proxy, configuration, Optional(proxy) as Any, [proxy]] as [Any] {
            var text = ""
            dump(value, to: &text)
            texts.append(text)
        }
        let encoded = Data("somebody:\(Self.secret)".utf8).base64EncodedString()
        for text in texts {
            #expect(text.contains("p"))
            for secret in [Self.secret, "somebody", encoded] { #expect(!text.contains(secret), "\(text)") }
        }
        #expect(try proxy != PushProxy(url: "http://somebody:else@p:1"))
    }

    // MARK: Variables

    @Test(arguments: [
        (["https_proxy": "http://a:1", "HTTPS_PROXY": "http://b:1"], "a:1"),
        (["https_proxy": "", "HTTPS_PROXY": "http://b:1", "ALL_PROXY": "http://d:1"], "b:1"),
        (["all_proxy": "http://c:1", "ALL_PROXY": "http://d:1"], "c:1"), (["ALL_PROXY": "http://d:1"], "d:1"),
        (["http_proxy": "http://e:1", "HTTP_PROXY": "http://e:1"], nil), ([:], nil),
        (["HTTPS_PROXY": "http://b:1", "NO_PROXY": "push.apple.com"], nil),
        (["HTTPS_PROXY": "http://b:1", "no_proxy": "localhost", "NO_PROXY": "push.apple.com"], "b:1"),
        (["HTTPS_PROXY": "http://b:1", "no_proxy": "", "NO_PROXY": "*"], nil),
    ])
    func `variables name a proxy in curl's order`(variables: [String: String], expected: String?) throws {
        #expect(try PushProxy.named(in: variables, for: .sandbox)?.description == expected)
    }

    @Test func `a variable that names no proxy is called by its name`() throws {
        let error = try #require(throws: PushConfigurationError.self) {
            try PushProxy.named(in: ["HTTPS_PROXY": "socks5://u:\(Self.secret)@p:1"], for: .sandbox)
        }
        #expect(error.name == "HTTPS_PROXY")
        #expect(error.description.hasPrefix("HTTPS_PROXY is a SOCKS proxy"))
    }

    @Test func `users of every length are encoded as Foundation does it`() throws {
        for count in 0..<70 {
            let user = String(String(repeating: "ü>?~ÿabcdefghi0123", count: 4).prefix(count))
            let request = try PushProxy(host: "p", user: user).request(to: .sandbox)
            let proof = Data("\(user):".utf8).base64EncodedString()
            #expect(String(decoding: request, as: UTF8.self).contains("Proxy-Authorization: Basic \(proof)\r\n"))
        }
    }
}
