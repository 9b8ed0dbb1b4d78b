internal import NIOCore
import PushPlatform

extension ClientTiming {
    /// Returns the clocks of the system, with the timeouts of a configuration.
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
