import APNSVocabulary
import Testing

@testable import MockAPNs

@Suite struct ConnectDestinationTests {
    @Test(arguments: [
        ("api.push.apple.com", 443, ServedAPI.pushes), ("api.push.apple.com", 2197, .pushes),
        ("api.sandbox.push.apple.com", 443, .pushes), ("API.Development.Push.Apple.com.", 2197, .pushes),
        ("api-manage-broadcast.sandbox.push.apple.com", 2195, .channels(.sandbox)),
        ("api-manage-broadcast.push.apple.com", 2196, .channels(.production)),
    ])
    func `the mock answers for Apple's hosts on their ports`(host: String, port: Int, api: ServedAPI) {
        let name = host.lowercased().hasSuffix(".") ? String(host.lowercased().dropLast()) : host.lowercased()
        #expect(ConnectDestination(host: host, port: port, relaysOthers: false) == .apns(host: name, api))
        #expect(ConnectDestination(host: host, port: port, relaysOthers: true) == .apns(host: name, api))
    }

    @Test(arguments: [
        ("api.push.apple.com", 2195, "Use port 443 or 2197"),
        ("api-manage-broadcast.push.apple.com", 2195, "Use port 2196"),
        ("api-manage-broadcast.sandbox.push.apple.com", 443, "Use port 2195"),
    ])
    func `other ports of Apple's hosts are refused with the right one`(host: String, port: Int, remedy: String) throws {
        for relays in [false, true] {
            guard case .refused(let why) = ConnectDestination(host: host, port: port, relaysOthers: relays) else {
                Issue.record("\(host):\(port) is served")
                return
            }
            #expect(why.contains(remedy), "\(why)")
        }
    }

    @Test(arguments: ["example.com", "push.apple.com", "api.push.apple.com.example.com", "127.0.0.1"])
    func `other hosts are refused unless the mock relays them`(host: String) {
        guard case .refused(let why) = ConnectDestination(host: host, port: 443, relaysOthers: false) else {
            Issue.record("\(host) is served")
            return
        }
        #expect(why.contains("NO_PROXY"))
        #expect(ConnectDestination(host: host, port: 443, relaysOthers: true) == .other(host: host, port: 443))
    }

    @Test(arguments: APNSHost.all)
    func `the name decides the environment`(host: String) {
        let expected: MockEnvironment =
            host.contains("sandbox") || host.contains("development") ? .sandbox : .production
        #expect(MockEnvironment(appleHost: host.uppercased()) == expected)
        #expect(ConnectionFacts(number: 1, appleHost: host).environment(else: .sandbox) == expected)
        #expect(ConnectionFacts(number: 1).environment(else: .sandbox) == .sandbox)
        #expect(
            ConnectionFacts(number: 1, api: .channels(.production), appleHost: host).environment(else: .sandbox)
                == .production)
    }
}
