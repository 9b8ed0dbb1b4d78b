import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// The hops about the key or the certificate, before they are tried.
enum SignerHops {
    /// The hop about a signing key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - file: Its file; `nil` if it comes from a pipe, a variable or the mock.
    /// - Returns: The hop.
    static func key(_ key: PushProviderKey, file: String?) -> Hop {
        let fact = "Key \(key.keyID) of team \(key.teamID) signs provider tokens."
        let nameID = file.flatMap(PushProviderKey.keyID(inFileName:))
        let hop: Hop
        if !key.warnings.isEmpty {
            hop = .warning(.key, fact, remedy: key.warnings.joined(separator: " "))
        } else if file != nil, nameID == nil {
            hop = .note(.key, "\(fact) The file's name contains no key id to compare.")
        } else {
            hop = .ok(.key, file == nil ? fact : "\(fact) The file's name contains the same key id.")
        }
        return hop.with("key_id", .string(key.keyID)).with("team_id", .string(key.teamID))
            .with("file_name_fits", nameID.map { .bool($0 == key.keyID) })
    }

    static func certificate(_ certificate: PushCertificate, warnings: [String], now: Date) -> Hop {
        let days = certificate.daysLeft(at: now)
        let services = certificate.services.map(\.rawValue).sorted().reversed().joined(separator: " and ")
        let environment = certificate.saysService ? "for \(services)" : "for an unknown environment"
        let topics = certificate.topics.isEmpty ? "no topics" : certificate.topics.joined(separator: ", ")
        let fact = """
            \(certificate): \(certificate.kind), \(environment), \(topics); \(counted(days, "day")) left.
            """
        let hop: Hop =
            if !certificate.sendsPushes {
                .failed(
                    .certificate, fact, remedy: "It can't send pushes: use a push certificate of your app.",
                    .credentials)
            } else if !warnings.isEmpty {
                .warning(.certificate, fact, remedy: warnings.joined(separator: " "))
            } else {
                .ok(.certificate, fact)
            }
        return hop.with("certificate_kind", .string(certificate.kind)).with("days_left", .integer(days))
            .with("expires_at", .integer(Int(certificate.expires.timeIntervalSince1970)))
            .with("topics", .array(certificate.topics.map(PushJSONValue.string)))
            .with("environments", .array(certificate.services.map(\.rawValue).sorted().map(PushJSONValue.string)))
    }

    /// The hop about credentials that cannot be used. The message names the cause and the remedy.
    static func unusable(_ name: Hop.Name, _ failure: CommandFailure) -> Hop {
        let remedy =
            switch failure.status {
            case .noSuchFile: "Give the right path."
            case .usage: "Correct the option."
            default: "\"pushsend inspect FILE\" shows what is in a file."
            }
        return .failed(name, failure.message, remedy: remedy, failure.status)
    }

    static let absent = Hop.skipped(.key, "No credentials were given.")
}
