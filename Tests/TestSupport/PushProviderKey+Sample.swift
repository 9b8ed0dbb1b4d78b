package import PushProvider
package import PushWire

extension PushProviderKey {
    package static let sampleKeyID = "ABC123DEFG"
    package static let sampleTeamID = "DEF123GHIJ"

    /// A key that nobody else has.
    package static func sample(
        _ key: SigningKey? = nil, keyID: String = sampleKeyID, teamID: String = sampleTeamID
    ) throws -> PushProviderKey {
        try PushProviderKey(p8: (key ?? SigningKey.generate()).pem(), keyID: keyID, teamID: teamID)
    }
}
