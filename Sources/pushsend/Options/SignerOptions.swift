import ArgumentParser
import MockAPNs
import PushProvider

/// With what to sign.
struct SignerOptions: ParsableArguments {
    @Option(
        name: .customLong("key"),
        help: ArgumentHelp("The .p8 file of the key, from Apple's developer portal.", valueName: "p8")
    )
    var keyFile: String?

    @Option(
        name: .customLong("key-id"),
        help: ArgumentHelp(
            "The key's id; taken from a name like AuthKey_ABC123DEFG.p8 when not given.", valueName: "id")
    )
    var keyID: String?

    @Option(
        name: .customLong("team-id"),
        help: ArgumentHelp("The team's id, in the developer portal under Membership.", valueName: "id")
    )
    var teamID: String?

    @Flag(name: .customLong("mock"), help: "Send to a running \"pushsend mock\", with its key.")
    var mock = false

    @OptionGroup var state: StateFolderOption

    /// The key to sign with, its warnings said.
    func providerKey() throws -> ProviderKey {
        // A key in the environment is for Apple; the mock knows nothing of it.
        let key = try mock && keyFile == nil ? mockKey() : ownKey()
        for warning in key.warnings { Output.note("warning: \(warning)") }
        return key
    }

    private func mockKey() throws -> ProviderKey {
        let note = try MockNote.read(state.path)
        do {
            return try ProviderKey(
                p8File: note.keyFile,
                keyID: keyID ?? note.keyID,
                teamID: teamID ?? note.teamID
            )
        } catch {
            throw CommandFailure(error)
        }
    }

    private func ownKey() throws -> ProviderKey {
        guard let file = keyFile ?? Fallback.value("KEY") else {
            throw CommandFailure.usage(
                "There is nothing to sign with: give --key AuthKey_XXXXXXXXXX.p8, or --mock to send to a running mock.")
        }
        guard let keyID = keyID ?? Fallback.value("KEY_ID") ?? ProviderKey.keyID(inFileName: file) else {
            throw CommandFailure.usage(
                "There is no key id: give --key-id, the ten characters in the name that the key file had, AuthKey_XXXXXXXXXX.p8."
            )
        }
        guard let teamID = teamID ?? Fallback.value("TEAM_ID") else {
            throw CommandFailure.usage(
                "There is no team id: give --team-id, ten characters, at developer.apple.com under Membership.")
        }
        do {
            return try ProviderKey(p8File: file, keyID: keyID, teamID: teamID)
        } catch {
            throw CommandFailure(error)
        }
    }
}
