import ArgumentParser
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

struct JWTCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jwt",
        abstract: "Print a provider token for curl and other tools.",
        discussion: """
            Example:
              pushsend jwt --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ

            For curl, with the key of a running "pushsend mock":
              curl -H "authorization: bearer $(pushsend jwt --mock)"

            At any time, all senders with this key create the same token, because APNs rejects keys whose tokens \
            change too often. The token is valid for at least 20 more minutes.
            """
    )

    @OptionGroup var profileOption: ProfileOption
    @OptionGroup(title: "Credentials") var signer: SignerOptions

    @Flag(help: "Print a JSON object with the token and its times.")
    var json = false

    func validate() throws {
        if signer.state.folder != nil, !signer.mock {
            throw ValidationError(StateFolderOption.needsMock)
        }
    }

    func run() throws {
        let key = try signer.providerKey(try profileOption.settings())
        let token = try key.providerToken()
        guard json else { return Output.print(token) }
        let issuedAt = Self.issuedAt(token)
        let line: JSONLine = [
            "token": .string(token), "key_id": .string(key.keyID), "team_id": .string(key.teamID),
            "issued_at": issuedAt.map(PushJSONValue.integer),
            "expires_at": issuedAt.map { .integer($0 + APNSLimit.providerTokenAgeSeconds) },
        ]
        Output.print(line.text)
    }

    /// The `iat` in the token's middle part, in seconds since 1970.
    private static func issuedAt(_ token: String) -> Int? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        var base64 = String(parts[1].map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        while base64.utf8.count % 4 != 0 { base64 += "=" }
        let claims = Data(base64Encoded: base64).flatMap { PushJSONValue(json: Array($0)) }
        guard case .integer(let seconds)? = claims?["iat"] else { return nil }
        return seconds
    }
}
