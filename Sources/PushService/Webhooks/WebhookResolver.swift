internal import NIOCore
internal import NIOPosix
internal import PushPlatform

/// Looks up the host of a webhook, and refuses addresses that are not public.
enum WebhookResolver {
    /// Refuses a host that the HTTP client spells in another way: it finds the checked address by its own spelling, and would ask the
    /// name servers again.
    static func checkSpelling(of url: WebhookURL) throws(WebhookRefusal) {
        guard url.hostOfClient == url.host else {
            throw WebhookRefusal(reason: "The host \(url.host) is ambiguous. Write it in its normal form.")
        }
    }

    /// The addresses of the host as text, at least one. Each must be permitted.
    ///
    /// - Parameters:
    ///   - url: The address of the webhook.
    ///   - mayBePrivate: Whether the operator permits this host to have an address that is not public.
    /// - Returns: The addresses, in the order of the lookup.
    /// - Throws: ``WebhookRefusal``.
    static func addresses(of url: WebhookURL, mayBePrivate: Bool) async throws -> [String] {
        let addresses = try await Lookups.shared.addresses(of: url.host)
        if !mayBePrivate, let inner = addresses.first(where: { !AddressRules.isPublic($0) }) {
            throw WebhookRefusal(
                reason: """
                    \(url.host) has the address \(inner.ipAddress ?? "?"), which isn't public. If the webhook \
                    may go there, add \"\(url.host)\" to \"allow\" under \"webhooks\".
                    """)
        }
        guard !addresses.isEmpty else { throw WebhookRefusal(reason: "\(url.host) has no address.") }
        return addresses.compactMap(\.ipAddress)
    }

    /// The lookups that run, one of a host: each can block its thread for half a minute, and posts need its answer in the meantime.
    private actor Lookups {
        static let shared = Lookups()

        private let threads = NIOThreadPool(numberOfThreads: 8)
        private var running: [String: Task<[SocketAddress], any Error>] = [:]

        private init() { threads.start() }

        func addresses(of host: String) async throws -> [SocketAddress] {
            if let lookup = running[host] { return try await lookup.value }
            let lookup = Task { [threads] in try await threads.runIfActive { try lookUp(host) } }
            running[host] = lookup
            defer { running[host] = nil }
            return try await lookup.value
        }
    }

    private static func lookUp(_ host: String) throws -> [SocketAddress] {
        if let address = try? SocketAddress(ipAddress: host, port: 0) { return [address] }
        var hints = addrinfo()
        hints.ai_socktype = streamSocket
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            throw WebhookRefusal(
                reason: "\(host) can't be looked up: \(String(cString: gai_strerror(code))).",
                isPermanent: false)
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = socketAddress(entry.pointee) { addresses.append(address) }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    private static func socketAddress(_ entry: addrinfo) -> SocketAddress? {
        guard entry.ai_family == AF_INET || entry.ai_family == AF_INET6 else { return nil }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        guard code == 0 else { return nil }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return try? SocketAddress(ipAddress: String(decoding: bytes, as: UTF8.self), port: 0)
    }
}
