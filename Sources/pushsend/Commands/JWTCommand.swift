import ArgumentParser
import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct JWTCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jwt",
        abstract: "Prints a provider token, for curl and other tools.",
        discussion: """
            Example:
              curl --http2 -H "authorization: bearer $(pushsend jwt --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ)" ...

            The token is the one that every sender with this key uses now; it is good for at least 20 minutes.
            """
    )

    @OptionGroup(title: "With what to sign") var signer: SignerOptions

    @Flag(help: "Print a JSON object with the token and its times.")
    var json = false

    func run() throws {
        let key = try signer.providerKey()
        let now = Int(Date().timeIntervalSince1970)
        let token: String
        do {
            token = try key.providerToken(secondsSince1970: now)
        } catch {
            throw CommandFailure(error)
        }
        guard json else { return Output.say(token) }
        var line = JSONLine()
        line["token"] = .string(token)
        line["key_id"] = .string(key.keyID)
        line["team_id"] = .string(key.teamID)
        Output.say(line.text)
    }
}
