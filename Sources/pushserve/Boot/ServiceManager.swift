// This is the first file of the module, and it must import PushPlatform and no module of NIO: the C types of a module belong to what
// is imported first, and those that NIO imports have no members here.
import PushPlatform

/// Reports the state of the service to systemd (sd_notify). Without systemd, nothing happens.
enum ServiceManager {
    static func ready() { notify("READY=1\nSTATUS=Running.") }

    /// The configuration is being read again.
    static func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        notify("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)")
    }

    static func stopping() { notify("STOPPING=1\nSTATUS=Finishing requests in flight.") }

    private static func notify(_ message: String) {
        #if os(Linux)
            guard let path = Variables.ofProcess[set: "NOTIFY_SOCKET"], let first = path.utf8.first else { return }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            // A name that begins with @ is abstract: its first byte is zero.
            let bytes = first == UInt8(ascii: "@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
            guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2) + socklen_t(bytes.count)
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            let text = Array(message.utf8)
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), address, length)
                }
            }
        #endif
    }
}
