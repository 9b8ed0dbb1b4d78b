import PushCommandLine
internal import PushJSON
import PushProvider

/// What `pushsend doctor` says about one hop between this machine and the server.
struct Hop: Equatable, Sendable {
    /// The hops, in the order in which they are checked and shown.
    enum Name: String, Sendable, CaseIterable {
        case libraries
        case legacyProvider = "legacy_provider"
        case trustStore = "trust_store"
        case key
        case certificate
        case name
        case tcp
        case proxy
        case tls
        case alpn
        case settings
        case ping
        case credentials
        case clock

        var label: String {
            switch self {
            case .legacyProvider: "legacy provider"
            case .trustStore: "trust store"
            case .name: "name lookup"
            case .tcp: "TCP"
            case .tls: "TLS"
            case .alpn: "ALPN"
            case .settings: "SETTINGS"
            case .ping: "PING"
            default: rawValue
            }
        }
    }

    enum Result: String, Sendable, CaseIterable {
        case ok
        /// It is worth knowing, and not wrong.
        case note
        /// It will fail soon, or in some situations.
        case warning
        case failed
        /// It was not checked, because of the options or because an earlier hop failed.
        case skipped
        /// It was checked without a result.
        case notKnown = "not_known"
    }

    var name: Name
    var result: Result
    /// What was found, as a sentence without a line break.
    var fact: String
    /// What to do; `nil` if there is nothing to do.
    var remedy: String?
    var status: ExitStatus
    /// The port of a TCP hop.
    var port: Int?
    /// The address, if each address is checked alone.
    var address: String?
    /// Further facts for programs.
    var details: [String: PushJSONValue] = [:]

    private init(_ name: Name, _ result: Result, _ fact: String, _ remedy: String?, _ status: ExitStatus) {
        (self.name, self.result, self.fact, self.remedy, self.status) = (name, result, fact, remedy, status)
    }

    static func ok(_ name: Name, _ fact: String) -> Hop { Hop(name, .ok, fact, nil, .success) }

    static func note(_ name: Name, _ fact: String, remedy: String? = nil) -> Hop {
        Hop(name, .note, fact, remedy, .success)
    }

    static func warning(_ name: Name, _ fact: String, remedy: String) -> Hop {
        Hop(name, .warning, fact, remedy, .rejected)
    }

    static func failed(_ name: Name, _ fact: String, remedy: String?, _ status: ExitStatus = .cannotConnect) -> Hop {
        Hop(name, .failed, fact, remedy, status)
    }

    static func skipped(_ name: Name, _ why: String, remedy: String? = nil) -> Hop {
        Hop(name, .skipped, why, remedy, .success)
    }

    static func notKnown(_ name: Name, _ fact: String, remedy: String? = nil, _ status: ExitStatus = .success) -> Hop {
        Hop(name, .notKnown, fact, remedy, status)
    }

    /// Returns the hop with a further fact for programs; `nil` adds nothing.
    func with(_ key: String, _ value: PushJSONValue?) -> Hop {
        var hop = self
        hop.details[key] = value ?? hop.details[key]
        return hop
    }

    /// Returns the hop for one of several addresses when another address works. A client uses the working address. A machine
    /// without a route to an address is usual, for example without IPv6.
    func forOneAddress(_ kind: ProbeFailure.Kind?) -> Hop {
        guard result == .failed else { return self }
        var hop = self
        hop.result = kind == .noRoute ? .note : .warning
        hop.status = kind == .noRoute ? .success : .rejected
        return hop
    }

    var label: String { port.map { "\(name.label) \($0)" } ?? name.label }
}
