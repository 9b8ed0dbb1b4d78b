@testable import PushProvider

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
