import PushPlatform
import PushQueue

/// Parses an address. No error contains a text that may be a part of the password.
extension PostgresAddress {
    static let example = "postgres://user@host:5432/database"

    mutating func read(_ text: String) throws(QueueError) {
        guard !text.utf8.contains(0) else { throw wrong("contains a NUL character") }
        var rest = text[...]
        if rest.hasPrefix("postgres://") {
            rest = rest.dropFirst("postgres://".count)
        } else if rest.hasPrefix("postgresql://") {
            rest = rest.dropFirst("postgresql://".count)
        } else {
            throw wrong("doesn't begin with postgres://. An example: \(Self.example)")
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        try readAuthority(rest[..<end], rest: rest[end...])
        rest = rest[end...]
        let query = rest.firstIndex(of: "?") ?? rest.endIndex
        database = try decoded(rest[..<query].dropFirst(), "database")
        try readQuery(rest[query...].dropFirst())
        try check()
    }

    /// The user, the password and the hosts: all before the first "/" or "?".
    private mutating func readAuthority(_ text: Substring, rest: Substring) throws(QueueError) {
        // Such an address usually has a special character in its password, which then looks like a host.
        guard text.count(where: { $0 == "@" }) < 2, !rest.contains("@") else {
            throw wrong(
                """
                has an "@", a "/" or a "?" in the user, the password or a parameter. Write "@" there as %40, "/" as %2F and "?" \
                as %3F
                """)
        }
        var hostList = text
        if let at = text.firstIndex(of: "@") {
            hostList = text[at...].dropFirst()
            let login = text[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = try decoded(login[0], "user")
            if login.count == 2 { parameters["password"] = try decoded(login[1], "password") }
        }
        if hostList.isEmpty { return }
        for part in hostList.split(separator: ",", omittingEmptySubsequences: false) {
            hosts.append(try host(part))
        }
    }

    private func host(_ text: Substring) throws(QueueError) -> Host {
        let parts: HostAndPort
        do throws(HostAndPort.Mistake) { parts = try HostAndPort(text) } catch {
            switch error {
            case .noClosingBracket: throw wrong("has a \"[\" without a \"]\"")
            case .textAfterBracket:
                throw wrong("has text after the \"]\" of a host. Only a port can follow, as in [::1]:5432")
            case .noBrackets:
                throw wrong(
                    "has a host with more than one \":\". Put an IPv6 address in brackets, as in [::1]:5432")
            }
        }
        return Host(name: try decoded(parts.host, "host"), port: String(parts.port ?? ""))
    }

    /// The parameters behind the "?". Later ones replace earlier ones, as with libpq.
    private mutating func readQuery(_ text: Substring) throws(QueueError) {
        var (names, ports): (String?, String?)
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = try decoded(parts[0], "name of a parameter")
            guard parts.count == 2 else { throw wrong("has the parameter \"\(key)\" without a value") }
            let value = try decoded(parts[1], "parameter \(key)")
            switch key {
            case "schema": (schema, namesSchema) = (value, true)
            case "host": names = value
            case "port": ports = value
            case "user": user = value
            case "dbname": database = value
            default: parameters[key] = value
            }
        }
        if names != nil || ports != nil { try replaceHosts(names, ports) }
    }

    /// The parameters `host` and `port`. Folders of Unix sockets are usually given in this way.
    private mutating func replaceHosts(_ names: String?, _ ports: String?) throws(QueueError) {
        let names = names.map { Self.list($0) } ?? hosts.map(\.name)
        var ports = ports.map { Self.list($0) } ?? hosts.map(\.port)
        if ports.count == 1, names.count > 1 { ports = Array(repeating: ports[0], count: names.count) }
        if ports.isEmpty { ports = Array(repeating: "", count: names.count) }
        if names.isEmpty, ports.count == 1 {
            hosts = [Host(name: "", port: ports[0])]
            return
        }
        guard names.count == ports.count else {
            throw wrong("has \(names.count) hosts but \(ports.count) ports. Give one port, or one for each host")
        }
        hosts = zip(names, ports).map { Host(name: $0, port: $1) }
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private func decoded(_ text: Substring, _ part: String) throws(QueueError) -> String {
        guard let decoded = PercentEncoding.text(text), !decoded.utf8.contains(0) else {
            throw wrong(
                "has a wrong %-sequence in its \(part). Write two hexadecimal digits after each %, and a % itself as %25"
            )
        }
        return decoded
    }

    func wrong(_ problem: String) -> QueueError {
        QueueError(.invalid, "The address of the queue in PostgreSQL \(problem).")
    }
}
