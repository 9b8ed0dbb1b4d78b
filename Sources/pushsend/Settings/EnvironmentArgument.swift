import ArgumentParser

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
