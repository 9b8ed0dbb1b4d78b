import NIOCore
import PushPlatform
import Testing

@testable import PushService

struct WebhookSettingsTests {
    @Test func `a signature is that of Standard Webhooks`() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let header = WebhookSignature.header(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8),
            secrets: [secret])
        #expect(header == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `two secrets make two signatures, in order`() throws {
        let secrets = try [1, 2].map { byte in
            try #require(WebhookSecret("whsec_" + Data(repeating: byte, count: 24).base64EncodedString()))
        }
        let both = WebhookSignature.header(id: "msg_1", seconds: 1, body: [], secrets: secrets)
        let each = secrets.map { WebhookSignature.header(id: "msg_1", seconds: 1, body: [], secrets: [$0]) }
        #expect(both == each.joined(separator: " "))
        #expect(each[0] != each[1])
    }

    @Test(arguments: ["", "whsec_", "whsec_!!!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_c2hvcnQ="])
    func `a text that is no secret is refused`(text: String) {
        #expect(WebhookSecret(text) == nil)
    }

    @Test(arguments: [
        ("https://example.com", "example.com", 443, "/"),
        ("https://Example.com:8443/hook?a=b", "example.com", 8443, "/hook?a=b"),
        ("https://Example.com./x", "example.com", 443, "/x"), ("http://[::1]:80/x", "::1", 80, "/x"),
        ("https://example.com?a", "example.com", 443, "/?a"),
    ])
    func `an address is read`(text: String, host: String, port: Int, path: String) throws {
        let url = try #require(WebhookURL(text))
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.path == path)
        #expect(url.text.hasSuffix("\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"))
        #expect(url.hostOfClient == host)
    }

    @Test(arguments: [
        "example.com", "ftp://example.com", "https://", "https://user@example.com", "https://example.com#x",
        "https://example.com:0", "https://example.com:99999", "https://exa mple.com", "https://[::1",
        "https:\\\\example.com",
        "https://example.com@evil.example/", "https://example.com../", "https://ex%61mple.com",
        "https://[fe80::1%25eth0]/",
        "https://.",
    ])
    func `a text that is no address is refused`(text: String) {
        #expect(WebhookURL(text) == nil)
    }

    @Test(
        arguments: [
            ("Hooks.internal.", "hooks.internal"), ("10.0.0.7", "10.0.0.7"), ("::1", "::1"), ("[::1]", "::1"),
            ("localhost:80", nil), ("[::1]:80", nil), ("http://hooks.internal", nil), ("a/b", nil), ("a?b", nil),
            ("", nil),
            ("*.internal", nil), ("[::g]", nil),
        ] as [(String, String?)])
    func `a host that may be listed is one that a webhook can have`(text: String, host: String?) {
        #expect(WebhookSettings.host(text) == host)
    }

    @Test func `http needs a listed host`() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        var settings = WebhookSettings(url: "http://hooks.internal/x?token=4711", secrets: [secret])
        let problem = try #require(settings.problem)
        #expect(problem.contains("hooks.internal"))
        #expect(!problem.contains("4711"))
        settings.allowedHosts = ["hooks.internal"]
        #expect(settings.problem == nil)
        settings.secrets = []
        #expect(settings.problem != nil)
    }

    @Test(arguments: [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1",
    ])
    func `an address that is not public is refused`(text: String) throws {
        #expect(!AddressRules.isPublic(try SocketAddress(ipAddress: text, port: 443)))
    }

    @Test(arguments: ["17.188.143.34", "8.8.8.8", "172.15.0.1", "172.32.0.1", "2620:149:208:4302::5", "::ffff:8.8.8.8"])
    func `a public address is permitted`(text: String) throws {
        #expect(AddressRules.isPublic(try SocketAddress(ipAddress: text, port: 443)))
    }
}
