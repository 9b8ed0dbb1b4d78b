internal import APNSVocabulary
import ArgumentParser
import PushPlatform
import PushProvider

/// An endpoint: `HOST:PORT`, `HOST`, `[V6]:PORT`.
struct EndpointArgument: ExpressibleByArgument {
    var host: String
    var port: Int

    init?(argument: String) {
        guard let endpoint = try? EndpointArgument(argument) else { return nil }
        self = endpoint
    }

    struct Mistake: Error {
        /// What to write instead, as a sentence.
        var advice: String
    }

    init(_ argument: String) throws(Mistake) {
        // Users paste URLs such as https://localhost:2197.
        var text = Substring(argument)
        if text.hasPrefix("https://") { text = text.dropFirst("https://".count) }
        while text.hasSuffix("/") { text = text.dropLast() }
        let parts: HostAndPort
        do throws(HostAndPort.Mistake) { parts = try HostAndPort(text) } catch {
            throw Mistake(advice: (error == .noBrackets ? HostAndPort.bracketsAdvice(for: text) : nil) ?? Self.form)
        }
        guard !parts.host.isEmpty, !parts.host.contains(where: { "/ []".contains($0) }),
            !parts.isBracketed || HostAndPort.isIPv6(parts.host)
        else {
            throw Mistake(advice: Self.form)
        }
        host = String(parts.host)
        port = APNSHost.port
        if parts.port != nil {
            guard let number = parts.portNumber, number > 0 else { throw Mistake(advice: Self.form) }
            port = number
        }
    }

    private static let form = "Use a host and port such as localhost:8443 or [::1]:8443, or a host alone."

    /// What to write instead of a text that is not an endpoint, as a sentence.
    static func advice(for text: String) -> String {
        do throws(Mistake) { _ = try EndpointArgument(text) } catch { return error.advice }
        return form
    }
}

/// The address that a mock listens on, without its ports: `127.0.0.1`, `::1`, `localhost`.
struct ListenArgument: ExpressibleByArgument {
    /// The address or name, without brackets.
    var address: String

    init(address: String) { self.address = address }

    init?(argument: String) {
        guard let parts = Self.parts(argument), parts.port == nil, !parts.host.isEmpty,
            PushEnvironment.isHost(String(parts.host))
        else { return nil }
        address = String(parts.host)
    }

    var defaultValueDescription: String { address }

    /// The address, and the port that must not be there; `nil` for a text that has none of them.
    private static func parts(_ text: String) -> HostAndPort? {
        // ::1:2197 is an IPv6 address, too, but no machine has it.
        let isAlone = HostAndPort.isIPv6(text[...]) && !text.hasPrefix("::1:")
        let bracketed = isAlone ? "[\(text)]" : HostAndPort.bracketed(text[...]) ?? text
        guard let parts = try? HostAndPort(bracketed[...]), !parts.isBracketed || HostAndPort.isIPv6(parts.host) else {
            return nil
        }
        return parts
    }

    /// What to write instead of a text that is no address, as a sentence.
    static func advice(for text: String) -> String {
        guard let parts = parts(text), !parts.host.isEmpty, let port = parts.portNumber else {
            return "Use an address of this machine, such as 127.0.0.1 or ::1."
        }
        return "The port has its own option: --listen \(PeerText.printable(String(parts.host))) --port \(port)."
    }
}

/// `sandbox` or `production`, with common synonyms.
enum EnvironmentArgument: String, ExpressibleByArgument, CaseIterable {
    case sandbox
    case production

    init?(argument: String) {
        switch argument.lowercased() {
        case "sandbox", "development", "dev": self = .sandbox
        case "production", "prod": self = .production
        default: return nil
        }
    }
}
