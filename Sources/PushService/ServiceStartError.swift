internal import NIOCore
internal import PushPlatform

package struct ServiceStartError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case portInUse
        case cannotListen
        case unusableTLS
    }

    package let code: Code
    package let description: String

    init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }

    static func tooFewFiles(_ limit: Int, needed: Int) -> ServiceStartError {
        ServiceStartError(
            .cannotListen,
            """
            The system lets this process have \(limit) files and connections open, and it needs more than \(needed): raise the limit \
            (ulimit -n 4096; LimitNOFILE=4096 in a unit of systemd).
            """)
    }

    init(_ error: IOError, _ endpoint: APIConfiguration.Endpoint, _ key: String) {
        let address = "\(endpoint.host):\(endpoint.port)"
        if error.errnoCode == EADDRINUSE {
            self.init(
                .portInUse,
                "Another program already listens on \(address). Stop it, or set another port with \"\(key)\".")
        } else {
            let why = String(cString: strerror(error.errnoCode))
            self.init(.cannotListen, "The service can't listen on \(address) (\(why)). Correct \"\(key)\".")
        }
    }
}
