internal import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ClientTiming {
    /// The machine's own clocks.
    static func real(_ configuration: PushConfiguration) -> ClientTiming {
        ClientTiming(
            now: { MonotonicTime(nanoseconds: NIODeadline.now().uptimeNanoseconds) },
            wallSeconds: { Int(Date().timeIntervalSince1970) },
            resolveTimeout: configuration.resolveTimeout,
            connectTimeout: configuration.connectTimeout,
            handshakeTimeout: configuration.handshakeTimeout,
            settingsTimeout: configuration.settingsTimeout,
            trustedSilence: configuration.trustedSilence,
            keepAlive: configuration.keepAlive,
            pingTimeout: configuration.pingTimeout
        )
    }
}
