import PushCommandLine
import PushPlatform

/// Finds out whether the service can listen on an address, before anything is started.
enum PortCheck {
    /// - Throws: ``CommandFailure`` if it cannot.
    static func requireFree(_ address: ListenAddress, key: String) throws(CommandFailure) {
        guard address.port != 0 else { return }
        let error = bindError(address)
        guard error != 0 else { return }
        throw failure(error, address, key)
    }

    /// What is wrong with an address that cannot be listened on.
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
        let isSix = address.host.contains(":")
        let descriptor = socket(isSix ? AF_INET6 : AF_INET, streamSocket, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let result = isSix ? bindSix(descriptor, address) : bindFour(descriptor, address)
        guard result == 0 else { return errno }
        return listen(descriptor, 1) == 0 ? 0 : errno
    }

    private static func bindFour(_ descriptor: Int32, _ address: ListenAddress) -> Int32 {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = in_port_t(UInt16(truncatingIfNeeded: address.port).bigEndian)
        inet_pton(AF_INET, address.host, &four.sin_addr)
        return bindSocket(descriptor, to: &four)
    }

    private static func bindSix(_ descriptor: Int32, _ address: ListenAddress) -> Int32 {
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = in_port_t(UInt16(truncatingIfNeeded: address.port).bigEndian)
        inet_pton(AF_INET6, address.host, &six.sin6_addr)
        return bindSocket(descriptor, to: &six)
    }

    private static func bindSocket<Address>(_ descriptor: Int32, to address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
