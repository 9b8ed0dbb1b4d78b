internal import PushJSON
import PushProvider

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
