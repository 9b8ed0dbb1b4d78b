import ArgumentParser
import PushPlatform
import PushProvider

/// A duration with its unit: `30s`, `500ms`, `2m`, `1h`, `7d`.
struct DurationArgument: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        let units: [(suffix: String, milliseconds: Double)] = [
            ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
        ]
        guard let unit = units.first(where: { argument.hasSuffix($0.suffix) }),
            let number = Double(argument.dropLast(unit.suffix.count)), number.isFinite, number >= 0, number < 1e9
        else { return nil }
        duration = .milliseconds(Int64(number * unit.milliseconds))
    }
}

/// How long Apple tries to deliver: `once`, `apple`, a duration, an ISO date, or `@` and UNIX seconds.
struct ExpiresArgument: ExpressibleByArgument {
    let expiration: PushExpiration

    init?(argument: String) {
        if argument == "once" {
            expiration = .doNotStore
        } else if argument == "apple" {
            expiration = .apnsDefault
        } else if argument.hasPrefix("@"), let seconds = Int(argument.dropFirst()) {
            expiration = .until(secondsSince1970: seconds)
        } else if let duration = DurationArgument(argument: argument) {
            expiration = .after(seconds: Int(duration.duration.components.seconds))
        } else if let date = try? Date(argument.contains("T") ? argument : "\(argument)T00:00:00Z", strategy: .iso8601)
        {
            expiration = .until(secondsSince1970: Int(date.timeIntervalSince1970))
        } else {
            return nil
        }
    }
}

/// An endpoint: `HOST:PORT`, `HOST`, `[V6]:PORT`.
struct EndpointArgument: ExpressibleByArgument {
    var host: String
    var port: Int

    init?(argument: String) {
        // Users paste URLs such as https://localhost:2197.
        var text = Substring(argument)
        if text.hasPrefix("https://") { text = text.dropFirst("https://".count) }
        while text.hasSuffix("/") { text = text.dropLast() }
        var portText: Substring?
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            if !rest.isEmpty {
                guard rest.hasPrefix(":") else { return nil }
                portText = rest.dropFirst()
            }
        } else if text.filter({ $0 == ":" }).count == 1, let colon = text.firstIndex(of: ":") {
            host = String(text[..<colon])
            portText = text[text.index(after: colon)...]
        } else {
            host = String(text)
        }
        port = APNSHost.port
        if let portText {
            guard let number = Int(portText), (1...65_535).contains(number) else { return nil }
            port = number
        }
        guard !host.isEmpty, !host.contains(where: { "/ []".contains($0) }) else { return nil }
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

/// Values from the environment, for options that are not given.
enum Fallback {
    /// Returns the value of the variable `PUSHSEND_` + name; an empty value counts as absent.
    static func value(_ name: String) -> String? {
        let value = ProcessInfo.processInfo.environment["PUSHSEND_\(name)"]
        return value?.isEmpty == false ? value : nil
    }

    /// The device token of `PUSHSEND_TOKEN`, if it is set.
    static var tokens: [String] { value("TOKEN").map { [$0] } ?? [] }
}

/// Makes paths absolute, so that they are valid in every folder.
enum AbsolutePath {
    static func of(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
