import PushPlatform
import PushService

/// An IP address, without brackets, and a port to listen on; the port is 0 for any free one.
typealias ListenAddress = APIConfiguration.Endpoint

extension ListenAddress: CustomStringConvertible {
    struct Mistake: Error {
        var advice: String
    }

    /// Reads `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
    init(_ text: String) throws(Mistake) {
        let parts = try rethrowing(try HostAndPort(text[...])) { (error: HostAndPort.Mistake) in
            Mistake(advice: (error == .noBrackets ? HostAndPort.bracketsAdvice(for: text[...]) : nil) ?? Self.form)
        }
        guard parts.port != nil else {
            if Int(text) != nil {
                throw Mistake(advice: "The address is missing. Did you mean \"127.0.0.1:\(text)\"?")
            }
            let isAlone = parts.host == "localhost" || Self.isAddress(String(parts.host))
            throw Mistake(
                advice: isAlone ? "The port is missing. Did you mean \"\(text.prefix(60)):8080\"?" : Self.form)
        }
        guard let port = parts.portNumber else { throw Mistake(advice: Self.form) }
        var host = String(parts.host)
        if host.isEmpty || host == "*" {
            throw Mistake(
                advice:
                    "The address is missing. Use 127.0.0.1:\(port) for this machine only, or 0.0.0.0:\(port) for all.")
        }
        if host == "localhost" { host = "127.0.0.1" }
        guard Self.isAddress(host) else {
            throw Mistake(
                advice:
                    "Use an IP address of this machine, such as 127.0.0.1:\(port), [::1]:\(port) or 0.0.0.0:\(port).")
        }
        self.init(host: host, port: port)
    }

    private static let form =
        "Use ADDRESS:PORT with a port from 1 to 65535, such as 127.0.0.1:8080 or [::1]:8080."

    private static func isAddress(_ text: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }

    /// Whether only programs of this machine can connect.
    var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
