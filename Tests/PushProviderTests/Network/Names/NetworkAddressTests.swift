import NIOCore
import Testing

@testable import PushProvider

@Suite struct NetworkAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:443"), ("::1", "[::1]:443"), ("2001:DB8:0::7", "[2001:db8::7]:443"),
        ("::ffff:10.0.0.1", "[::ffff:10.0.0.1]:443"), ("fe80::1%3", "[fe80::1%3]:443"),
    ])
    func `an address is read as people write it`(text: String, description: String) throws {
        let address = try #require(NetworkAddress(literal: text, port: 443))
        #expect(address.description == description)
        #expect(try address.socketAddress.port == 443)
        #expect(address.family == (text.contains(":") ? .ipv6 : .ipv4))
    }

    @Test(arguments: [
        "", "localhost", "127.1", "1.2.3.4.5", "256.1.1.1", "0x7f.0.0.1", "127.0.0.1%3", "fe80::1%",
        "fe80::1%no-such-link",
        "fe80::1%0", "[::1]", ":", "api.push.apple.com",
    ])
    func `what is no address is a name`(text: String) {
        #expect(NetworkAddress(literal: text, port: 443) == nil)
    }

    @Test func `the interface to a link reaches the socket`() throws {
        let address = try #require(NetworkAddress(literal: "fe80::1%1", port: 2197))
        #expect(address.zone == 1)
        // Of another interface it is another address, for the socket too.
        let other = try #require(NetworkAddress(bytes: address.bytes, port: 2197, zone: 2))
        #expect(try address.socketAddress != other.socketAddress)
        #expect(try address.socketAddress.port == 2197)
    }

    @Test func `localhost is this machine in both families`() {
        #expect(NetworkAddress.ofThisMachine(port: 9).map(\.description) == ["127.0.0.1:9", "[::1]:9"])
    }
}

extension NetworkAddress {
    /// 10.0.0.number.
    static func v4(_ number: UInt8) -> NetworkAddress { NetworkAddress(ipv4: (10, 0, 0, number), port: 443) }

    /// fd00::number.
    static func v6(_ number: UInt8) -> NetworkAddress {
        NetworkAddress(bytes: [0xFD] + Array(repeating: 0, count: 14) + [number], port: 443) ?? v4(number)
    }
}

extension MonotonicTime {
    /// So many seconds after the beginning.
    static func second(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds * 1e9)) }
}
