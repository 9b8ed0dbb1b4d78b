import ArgumentParser
import PushProvider

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
