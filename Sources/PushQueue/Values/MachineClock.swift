import PushPlatform

package enum MachineClock {
    /// For how long the machine has run. A correction of the wall clock does not change it, and it stands still while the machine
    /// sleeps: no worker can work then, so no lease should run out. All processes of the machine see the same.
    static func uptime() -> Duration {
        var time = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_UPTIME_RAW, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// How much time has passed since the machine was started, also while it slept.
    package static func timeSinceStart() -> Duration {
        var time = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_MONOTONIC, &time)
        #else
            clock_gettime(CLOCK_BOOTTIME, &time)
        #endif
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// A name that identifies the last start of the machine; empty if the system has no such name. A container may have its own
    /// monotonic clock, so the name includes its time namespace.
    static let boot = text("/proc/sys/kernel/random/boot_id") + link("/proc/self/ns/time")

    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        return bytes(64) { read(file, $0.baseAddress, $0.count) }.filter { !$0.isNewline }
    }

    private static func link(_ path: String) -> String {
        bytes(64) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { readlink(path, $0, text.count) } ?? 0
            }
        }
    }

    private static func bytes(_ maximum: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Int) -> String {
        let bytes = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in count = max(fill(buffer), 0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
