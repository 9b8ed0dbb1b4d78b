internal import PushJSON
import PushPlatform
import PushProvider

/// The content of one certificate, for people and for programs.
struct CertificateFacts {
    /// Whether the private key is available.
    enum Key: String {
        case present = "available"
        case locked = "encrypted, or not readable"
        case missing = "missing, or for another certificate"

        var titleEnding: String { self == .locked ? " with an encrypted key" : " without its key" }
    }

    private let certificate: PushCertificate
    private let friendlyName: String?
    private let now: Int

    init(_ certificate: PushCertificate, now: Int, friendlyName: String?) {
        (self.certificate, self.now, self.friendlyName) = (certificate, now, friendlyName)
    }

    /// Adds the facts of several certificates, one after the other.
    static func add(_ all: [CertificateFacts], key: Key, to inspection: inout Inspection) {
        for (index, facts) in all.enumerated() {
            if index > 0 { inspection.addGap() }
            facts.add(key: key, to: &inspection)
        }
        inspection["identities"] = .array(all.map { $0.value(hasKey: key != .missing) })
    }

    /// Why Apple does not accept the certificate; `nil` if no problem was found.
    var problem: String? {
        if ending < now {
            return
                "\"\(certificate)\" has expired. Create a new one at developer.apple.com, Certificates, Identifiers & Profiles."
        }
        if isAuthority {
            return """
                "\(certificate)" is a certificate authority, which can't send pushes. If it issued the certificate of \
                your mock or proxy, give this file with --cacert.
                """
        }
        if !certificate.sendsPushes {
            return "\"\(certificate)\" is a \(certificate.kind). You need a push certificate."
        }
        return nil
    }

    /// Whether it issues certificates, and is not a push certificate of Apple.
    var isAuthority: Bool { certificate.kind == PushCertificate.authorityKind }

    private var beginning: Int { Int(certificate.validFrom.timeIntervalSince1970) }
    private var ending: Int { Int(certificate.expires.timeIntervalSince1970) }
    private var daysLeft: Int { certificate.daysLeft(at: Date(timeIntervalSince1970: TimeInterval(now))) }

    // MARK: For people

    private func add(key: Key, to inspection: inout Inspection) {
        inspection.add("name", certificate.description)
        if let friendlyName, friendlyName != certificate.commonName { inspection.add("called", friendlyName) }
        inspection.add("kind", certificate.kind)
        inspection.add("environment", environmentText)
        inspection.add(
            "topics", certificate.topics.isEmpty ? "none; use --topic" : certificate.topics.joined(separator: ", ")
        )
        if let team = certificate.teamID { inspection.add("team id", team) }
        inspection.add("valid", validity)
        inspection.add("key", key.rawValue)
    }

    private var environmentText: String {
        guard certificate.saysService else { return "unknown" }
        return certificate.services.map(\.rawValue).sorted().reversed().joined(separator: " and ")
    }

    private var validity: String {
        let span = "\(InspectedTime.day(beginning)) to \(InspectedTime.day(ending))"
        if ending < now { return "\(span), expired" }
        if beginning > now { return "\(span), not valid yet: check the clock" }
        let left = "\(counted(daysLeft, "day")) left"
        return "\(span), \(left)\(daysLeft < 30 ? ": create a new one" : "")"
    }

    // MARK: For machines

    private func value(hasKey: Bool) -> PushJSONValue {
        var members: [String: PushJSONValue] = [
            "name": .string(certificate.description),
            "certificate_kind": .string(certificate.kind),
            "topics": .array(certificate.topics.map(PushJSONValue.string)),
            "valid_from": .integer(beginning),
            "expires_at": .integer(ending),
            "days_left": .integer(daysLeft),
            "has_key": .bool(hasKey),
            "fingerprint": .string(certificate.fingerprint),
        ]
        members["friendly_name"] = friendlyName.map(PushJSONValue.string)
        members["team_id"] = certificate.teamID.map(PushJSONValue.string)
        if certificate.saysService {
            let only = certificate.services.count == 1 ? certificate.services.first?.rawValue : "both"
            members["environment"] = only.map(PushJSONValue.string)
        }
        return .object(members)
    }
}
