internal import PushJSON
import PushPlatform
import PushProvider
internal import PushWire

/// The hops about the network, from the results of a probe. A pure table.
struct NetworkHops {
    let server: ProbedServer
    /// The current time in seconds since 1970.
    let now: Int

    /// The hops from the name lookup to the PING. Hops after a failed one are skipped.
    func hops(_ report: ProbeReport) -> [Hop] {
        if let failure = report.names.failure {
            return [unresolved(report.names, failure)]
                + rest(after: .name).map { .skipped($0, "The name wasn't resolved.") }
        }
        let isAnyUsable = report.paths.contains(where: Self.isUsable)
        let paths = report.paths.map { path in
            let hops = hops(path, others: report.otherPorts, isOneOfSeveral: report.paths.count > 1)
            return isAnyUsable && !Self.isUsable(path) ? hops.map { $0.forOneAddress(path.failure?.kind) } : hops
        }
        let others = report.paths.count > 1 ? report.otherPorts.map(other) : []
        return [resolved(report.names)] + paths.flatMap(\.self) + others
    }

    /// Whether a push could use the connection: HTTP/2 began and did not end.
    private static func isUsable(_ path: ProbedPath) -> Bool {
        path.settings != nil && (path.failure == nil || path.failure?.kind == .silent)
    }

    private func rest(after name: Hop.Name) -> [Hop.Name] {
        let all: [Hop.Name] =
            [.name, .tcp] + (server.proxy == nil ? [] : [.proxy]) + [.tls, .alpn, .settings, .ping]
        return Array(all.drop { $0 != name }.dropFirst())
    }

    // MARK: Name lookup

    private func resolved(_ names: ProbedNames) -> Hop {
        let texts = names.addresses.map(Self.bare)
        let whose = server.proxy == nil ? "" : " (the proxy)"
        let isAddress = texts == [names.host]
        let fact =
            isAddress
            ? "\(names.host) is an address." : "\(names.host)\(whose): \(texts.joined(separator: ", "))"
        return .ok(.name, fact)
            .with("addresses", .array(texts.map(PushJSONValue.string))).with("ms", Self.milliseconds(names.time))
    }

    private func unresolved(_ names: ProbedNames, _ failure: ProbeFailure) -> Hop {
        let remedy: String =
            if server.proxy != nil {
                "Check the name of the proxy, and the DNS of this machine."
            } else if server.isApple {
                """
                Check the network and the DNS of this machine (/etc/resolv.conf). Where only a proxy reaches the \
                internet, give it with --proxy.
                """
            } else {
                "Check the name, and the DNS of this machine."
            }
        return .failed(.name, Self.sentence(failure.description), remedy: remedy)
    }

    // MARK: One connection

    private func hops(_ path: ProbedPath, others: [ProbedPath], isOneOfSeveral: Bool) -> [Hop] {
        let address = isOneOfSeveral ? path.address.map(Self.bare) : nil
        let tries = [Hop.Name.tcp] + rest(after: .tcp)
        var hops: [Hop] = []
        var failed: Hop.Name?
        for name in tries {
            var hop = failed.map { Hop.skipped(name, "\($0.label) failed.") } ?? self.hop(name, path, others)
            if hop.result == .failed { failed = failed ?? name }
            hop.address = address
            if name == .tcp {
                hop.port = server.proxy == nil ? server.port : nil
                hops.append(hop)
                if !isOneOfSeveral { hops += others.map(other) }
            } else {
                hops.append(hop)
            }
        }
        return hops
    }

    private func hop(_ name: Hop.Name, _ path: ProbedPath, _ others: [ProbedPath]) -> Hop {
        switch name {
        case .tcp: tcp(path, others)
        case .proxy: proxy(path)
        case .tls: TLSHop(server: server, now: now).hop(path)
        case .alpn: alpn(path)
        case .settings: settings(path)
        default: ping(path)
        }
    }

    private func tcp(_ path: ProbedPath, _ others: [ProbedPath]) -> Hop {
        // A failed tunnel comes after a working TCP connection to the proxy.
        guard let failure = path.failure, path.tcp == nil, failure.phase != .proxy else {
            let peer = server.proxy.map { " to the proxy \($0)" } ?? path.address.map { " to \($0)" } ?? ""
            return .ok(.tcp, "Connected\(peer)\(path.tcp.map { " in \(Self.text($0))" } ?? "").")
                .with("ms", path.tcp.flatMap(Self.milliseconds)).with(
                    "address", path.address.map { .string(Self.bare($0)) })
        }
        return .failed(.tcp, Self.sentence(failure.description), remedy: tcpRemedy(others))
    }

    private func tcpRemedy(_ others: [ProbedPath]) -> String {
        if server.proxy != nil { return "Check the host and the port of the proxy, and that it is running." }
        if let open = others.first(where: { $0.failure == nil }) {
            return "Port \(open.port) works from here: use --port \(open.port)."
        }
        if server.isApple {
            return """
                Allow TCP to \(server.host) on port 443 or 2197 in the firewall, or give the proxy of this network with \
                --proxy.
                """
        }
        return "Check the host and the port, and that the server is running. A mock: \"pushsend mock\"."
    }

    /// The other port of Apple's hosts. It is an alternative, so a closed one is only worth knowing.
    private func other(_ other: ProbedPath) -> Hop {
        var hop: Hop =
            if let failure = other.failure {
                .note(.tcp, "Not reachable: \(failure.description)")
            } else {
                .ok(
                    .tcp, "Also reachable\(other.tcp.map { " in \(Self.text($0))" } ?? ""): an alternative with --port."
                )
            }
        hop.port = other.port
        return hop.with("ms", other.tcp.flatMap(Self.milliseconds))
    }

    private func proxy(_ path: ProbedPath) -> Hop {
        let name = server.proxy ?? "the proxy"
        guard let failure = path.failure, failure.phase == .proxy else {
            return .ok(
                .proxy,
                "\(name) opened the tunnel\(path.proxy.map { " in \(Self.text($0))" } ?? "")."
            ).with("ms", path.proxy.flatMap(Self.milliseconds))
        }
        return .failed(
            .proxy, Self.sentence(failure.description),
            remedy: """
                Ask the administrator of the proxy to allow CONNECT to \(server.host) on port \(server.port). --proxy '' \
                uses none.
                """)
    }

    private func alpn(_ path: ProbedPath) -> Hop {
        if path.failure?.kind == .noHTTP2 {
            return .failed(
                .alpn, "\(server.host) doesn't negotiate HTTP/2.",
                remedy: server.isApple
                    ? """
                    Something answers instead of Apple and speaks only HTTP/1.1: a captive portal, or a proxy that \
                    intercepts TLS. Sign in to the network, or ask the administrator to let HTTP/2 through to \
                    \(server.host).
                    """
                    : """
                    It may be a web server or a captive portal: check host and port. A test server that speaks \
                    HTTP/2 without ALPN: --no-alpn.
                    """)
        }
        guard let chosen = path.tls?.selectedProtocol else {
            return .note(.alpn, "The server selected no protocol; HTTP/2 is used without negotiation (--no-alpn).")
        }
        return .ok(.alpn, "\(chosen) was selected.").with("protocol", .string(chosen))
    }

    private func settings(_ path: ProbedPath) -> Hop {
        guard let settings = path.settings else {
            if Self.refusesCertificate(path) { return .skipped(.settings, Self.refusal) }
            let remedy =
                server.isApple
                ? "A firewall or a proxy breaks HTTP/2: ask its administrator, or try --port \(server.otherPort)."
                : "Check that it is an HTTP/2 server, and that it isn't overloaded."
            return .failed(
                .settings, Self.sentence(path.failure?.description ?? "the server sent no HTTP/2 SETTINGS."),
                remedy: remedy)
        }
        let streams =
            settings.maxConcurrentStreams.map { counted(Int($0), "stream") } ?? "any number of streams"
        return .ok(.settings, "Received: \(streams) at a time.")
            .with("max_concurrent_streams", settings.maxConcurrentStreams.map { .integer(Int($0)) })
            .with("initial_window_size", settings.initialWindowSize.map { .integer(Int($0)) })
            .with("max_header_list_size", settings.maxHeaderListSize.map { .integer(Int($0)) })
            .with("ms", path.settingsTime.flatMap(Self.milliseconds))
    }

    private func ping(_ path: ProbedPath) -> Hop {
        if let time = path.ping {
            return .ok(.ping, "Answered in \(Self.text(time)).").with("ms", Self.milliseconds(time))
        }
        // A certificate that is refused is the subject of the hop "credentials".
        if Self.refusesCertificate(path) { return .skipped(.ping, Self.refusal) }
        if path.failure?.kind == .silent {
            return .warning(
                .ping, Self.sentence(path.failure?.description ?? ""),
                remedy: """
                    pushsend will replace connections after each silence. Ask the administrator of the firewall or proxy \
                    whether it drops HTTP/2 frames.
                    """)
        }
        return .failed(
            .ping, Self.sentence(path.failure?.description ?? "the server ended the connection."),
            remedy: "Try again later: the server takes no new connections.")
    }

    private static let refusal = "The server refused the certificate."

    /// Whether the server refused the certificate of this side, by TLS or by GOAWAY.
    static func refusesCertificate(_ path: ProbedPath) -> Bool {
        if path.failure?.kind == .ownCertificate { return true }
        return path.goAway?.reason == .badCertificate || path.goAway?.reason == .badCertificateEnvironment
    }

    // MARK: Texts

    /// An address without its port.
    static func bare(_ address: NetworkAddress) -> String {
        let text = "\(address)"
        let host = text.lastIndex(of: ":").map { String(text[..<$0]) } ?? text
        return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// A sentence that begins with a capital letter, unless it begins with a name of a host.
    static func sentence(_ text: String) -> String {
        text.hasPrefix("the ") ? "The " + text.dropFirst(4) : text
    }

    /// A duration for people: `0.4 ms`, `12 ms`, `1.5 s`.
    static func text(_ time: Duration) -> String {
        let microseconds = time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
        if microseconds < 10_000 { return "\(Double(microseconds / 100) / 10) ms" }
        if microseconds < 1_000_000 { return "\(microseconds / 1000) ms" }
        return "\(Double(microseconds / 100_000) / 10) s"
    }

    static func milliseconds(_ time: Duration) -> PushJSONValue? {
        let microseconds = time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
        return .number(Double(microseconds) / 1000)
    }
}
