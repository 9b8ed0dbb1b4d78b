import Testing

@testable import PushProvider

@Suite struct NoProxyListTests {
    /// As curl decides; `EndToEndTests` hold that against curl itself.
    @Test(arguments: [
        ("*", "api.push.apple.com", true), ("a, *", "api.push.apple.com", false), ("", "api.push.apple.com", false),
        ("apple.com", "api.push.apple.com", true), (".apple.com", "api.push.apple.com", true),
        ("apple.com.", "api.push.apple.com", true), ("APPLE.com", "api.push.apple.com", true),
        ("apple.com", "api.push.apple.com.", true), ("pple.com", "api.push.apple.com", false),
        ("api.push.apple.com", "api.push.apple.com", true), ("x.api.push.apple.com", "api.push.apple.com", false),
        ("localhost,apple.com", "api.push.apple.com", true), ("localhost apple.com", "api.push.apple.com", true),
        (" localhost ,\tapple.com , ", "api.push.apple.com", true), ("*.apple.com", "api.push.apple.com", false),
        (".", "api.push.apple.com", false), ("127.0.0.1", "127.0.0.1", true), ("127.0.0.0/8", "127.0.0.1", true),
        ("126.0.0.0/7", "127.0.0.1", true), ("126.0.0.0/8", "127.0.0.1", false), ("127.0.0.2/31", "127.0.0.3", true),
        ("127.0.0.2/31", "127.0.0.1", false), ("127.0.0.1/32", "127.0.0.1", true), ("127.0.0.1/33", "127.0.0.1", false),
        ("127.0.0.1/x", "127.0.0.1", false), ("0.0.1", "127.0.0.1", false), ("::1", "::1", true),
        ("[::1]", "::1", true), ("fd00::/8", "fd12::7", true), ("fd00::/8", "fe12::7", false), ("::/128", "::1", false),
        ("127.0.0.1", "localhost", false), ("::1", "127.0.0.1", false), ("0:0::1", "::1", true),
    ])
    func `who is reached without a proxy`(list: String, host: String, isListed: Bool) {
        #expect(NoProxyList(list).contains(host: host, port: 443) == isListed)
    }

    @Test(arguments: [
        ("apple.com:2197", "api.push.apple.com", true), ("apple.com:443", "api.push.apple.com", false),
        ("[::1]:2197", "::1", true), ("[::1]:443", "::1", false), ("127.0.0.1:2197", "127.0.0.1", true),
        ("127.0.0.1:443", "127.0.0.1", false), ("apple.com:", "api.push.apple.com", false),
    ])
    func `an entry with a port holds for that port`(list: String, host: String, isListed: Bool) {
        #expect(NoProxyList(list).contains(host: host, port: 2197) == isListed)
    }
}
