import NIOCore
import PushCommandLine
import PushPlatform
import PushService

/// Finds out whether the service can listen on an address, before anything is started.
enum PortCheck {
    /// - Throws: ``CommandFailure`` if it cannot.
    static func requireFree(_ address: ListenAddress, key: String) throws(CommandFailure) {
        guard address.port != 0 else { return }
        let error = bindError(address)
        guard error != 0 else { return }
        throw failure(error, address, key)
    }

    static func failure(_ error: Int32, _ address: ListenAddress, _ key: String) -> CommandFailure {
        let remedy =
            switch error {
            case EADDRINUSE:
                "Another program listens there. Stop it, or change \"\(key)\". To find it: ss -ltnp 'sport = :\(address.port)'"
            case EACCES, EPERM:
                "Ports below 1024 need extra permission. Change \"\(key)\", or give the service CAP_NET_BIND_SERVICE."
            case EADDRNOTAVAIL: "This machine doesn't have the address. Change \"\(key)\"."
            default: "Change \"\(key)\"."
            }
        return CommandFailure(
            .cannotConnect, "The service can't listen on \(address): \(String(cString: strerror(error))). \(remedy)")
    }

    /// Binds a socket and closes it again. Returns 0, or the `errno`.
    private static func bindError(_ address: ListenAddress) -> Int32 {
        guard let place = try? SocketAddress(ipAddress: address.host, port: address.port) else { return EINVAL }
        let descriptor = socket(address.host.contains(":") ? AF_INET6 : AF_INET, streamSocket, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard place.withSockAddr({ bind(descriptor, $0, socklen_t($1)) }) == 0 else { return errno }
        return listen(descriptor, 1) == 0 ? 0 : errno
    }
}
