import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// Inspects a `.p12`, a PEM file with certificates, or a `.cer`.
struct CertificateInspection {
    var name: String
    var passphrase: PushPassphrase?
    /// The current time in seconds since 1970.
    var now: Int

    /// Whether the file is encrypted, and the right passphrase was not given.
    private(set) var needsPassphrase = false

    // MARK: The kinds of file

    mutating func p12(_ file: KeyFile) -> Inspection {
        needsPassphrase = false
        do throws(PushCredentialsError) {
            let entries = try PushIdentity.list(p12: file.bytes, passphrase: passphrase, name: quotedName)
            return inspection(.p12, "PKCS#12", entries, file)
        } catch {
            needsPassphrase = Self.isLocked(error)
            return .unreadable(.p12, name: name, sentence(error), .credentials)
        }
    }

    /// Inspects a PEM file. The certificates are shown even if their key is missing or cannot be decrypted.
    mutating func pem(_ file: KeyFile) -> Inspection {
        needsPassphrase = false
        do throws(PushCredentialsError) {
            let entries = try PushIdentity.list(certificate: file.bytes, passphrase: passphrase, name: quotedName)
            return inspection(.pem, "PEM", entries, file)
        } catch {
            needsPassphrase = Self.isLocked(error)
            switch error.code {
            case .noPrivateKey: return certificates(.pem, file, key: .missing, note: Self.keyElsewhere)
            case .passphraseNeeded, .wrongPassphrase, .unsupportedEncryption:
                return certificates(.pem, file, key: .locked, problem: sentence(error))
            default: return certificates(.pem, file, key: .missing, problem: sentence(error))
            }
        }
    }

    func cer(_ file: KeyFile) -> Inspection {
        certificates(
            .certificate, file, key: .missing,
            problem: """
                There is no private key in it: on the Mac that created the request, export the .p12 from Keychain \
                Access, My Certificates. If the key is in another file, give this file with --cert and the key file \
                with --cert-key.
                """
        )
    }

    private static let keyElsewhere =
        "It contains no private key. Give the certificate with --cert and its key with --cert-key."

    private var quotedName: String { "\"\(name)\"" }

    private func sentence(_ error: PushCredentialsError) -> String {
        guard Self.isLocked(error) else { return error.description }
        return "\(error) Give it with --passphrase-file FILE or PUSHSEND_PASSPHRASE."
    }

    private static func isLocked(_ error: PushCredentialsError) -> Bool {
        error.code == .passphraseNeeded || error.code == .wrongPassphrase
    }

    // MARK: Result

    private func inspection(
        _ kind: Inspection.Kind, _ form: String, _ entries: [PushIdentity.Entry], _ file: KeyFile
    ) -> Inspection {
        let count = entries.count == 1 ? "an identity" : "\(entries.count) identities; choose one with --identity NAME"
        var inspection = Inspection(kind, name: name, title: "a \(form) file with \(count)")
        let facts = entries.map { CertificateFacts($0.certificate, now: now, friendlyName: $0.friendlyName) }
        CertificateFacts.add(facts, key: .present, to: &inspection)
        // Of several certificates, one that can be used is enough.
        let problems = facts.compactMap(\.problem)
        if problems.count == facts.count {
            for problem in problems { inspection.addProblem(problem, .credentials) }
        } else {
            inspection.notes += problems
        }
        if file.isOpenToOthers { inspection.notes.append("Other users can read it: run chmod 600.") }
        return inspection
    }

    /// Inspects the certificates of a file without an available key.
    private func certificates(
        _ kind: Inspection.Kind, _ file: KeyFile, key: CertificateFacts.Key, note: String? = nil, problem: String? = nil
    ) -> Inspection {
        do throws(PushCredentialsError) {
            let certificates = try PushCertificate.list(contents: file.bytes, name: quotedName)
            let count = certificates.count == 1 ? "a certificate" : "\(certificates.count) certificates"
            var inspection = Inspection(kind, name: name, title: "\(count)\(key.titleEnding)")
            let facts = certificates.map { CertificateFacts($0, now: now, friendlyName: nil) }
            CertificateFacts.add(facts, key: key, to: &inspection)
            if let note, facts.first?.isAuthority != true { inspection.notes.append(note) }
            if let problem { inspection.addProblem(problem, .credentials) }
            // The first certificate is the one of the sender. The others are its issuers.
            if let expired = facts.first?.problem { inspection.addProblem(expired, .credentials) }
            return inspection
        } catch {
            return .unreadable(kind, name: name, error.description, .credentials)
        }
    }
}

/// Inspects a key file: whether it can sign provider tokens, and which key it is.
enum KeyInspection {
    static func inspect(_ file: KeyFile, name: String) -> Inspection {
        let keyID = PushProviderKey.keyID(inFileName: name)
        do throws(PushCredentialsError) {
            _ = try key(file.bytes, keyID: keyID, name: name)
        } catch {
            return .unreadable(.key, name: name, error.description, .credentials)
        }
        var inspection = Inspection(
            .key, name: name, title: keyID == nil ? Self.titleOfOtherName : "a key for provider tokens")
        inspection.add(
            "key id", keyID.map { "\($0), from the file name" } ?? "unknown: the file was renamed; use --key-id")
        inspection.add(
            "team id", "not in the file: shown at developer.apple.com under Membership details; use --team-id")
        inspection.add("topics", "not in the file: all apps of the team, or as chosen when the key was created")
        inspection.add("environment", "not in the file: both, or as chosen when the key was created")
        inspection.add("expires", "never; it can be revoked")
        inspection["key_id"] = keyID.map(PushJSONValue.string)
        if file.isOpenToOthers { inspection.notes.append("Other users can read it: run chmod 600.") }
        return inspection
    }

    /// A TLS server can have such a key too: only the name and its origin make the difference.
    private static let titleOfOtherName = "a P-256 key, like keys for provider tokens"

    /// Reads the key of a file, to check signatures.
    static func read(_ path: String) throws(PushCredentialsError) -> PushProviderKey {
        var file = try KeyFile(path: path)
        defer { file.wipe() }
        return try key(file.bytes, keyID: PushProviderKey.keyID(inFileName: path), name: path)
    }

    /// Reads a key. The team is not important here.
    private static func key(_ bytes: [UInt8], keyID: String?, name: String) throws(PushCredentialsError)
        -> PushProviderKey
    {
        let unknown = String(repeating: "0", count: APNSLimit.identifierCharacters)
        return try PushProviderKey(pem: bytes, keyID: keyID ?? unknown, teamID: unknown, name: "\"\(name)\"")
    }
}
