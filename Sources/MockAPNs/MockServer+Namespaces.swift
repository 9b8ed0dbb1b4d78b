/// Several mocks behind one port: the key id of a provider token chooses one.
extension MockServer {
    /// Hands requests on this mock's ports to another mock when their provider token has one of these key ids. A connection
    /// moves with its requests: the other mock judges, records and logs them.
    ///
    /// The other mock accepts tokens with these key ids: signed with the key that this mock trusts under the id, or else with
    /// this mock's own key. Faults at the start of a connection are still those of this mock.
    ///
    /// - Parameters:
    ///   - keyIDs: The key ids.
    ///   - other: The other mock.
    /// - Returns: `false` if one of the key ids already chooses another mock. Then nothing changes.
    package func route(keyIDs: [String], to other: MockServer) -> Bool {
        guard state.route(keyIDs, to: other.state) else { return false }
        let trusted = state.apns.trustedKeys
        for id in keyIDs {
            let key = state.keyring.key(id) ?? credentials.verifyingKey
            let known = trusted[id] ?? MockTrustedKey(keyID: id, teamID: credentials.teamID)
            other.state.trust(known) { $0.trust(key, id: id) }
        }
        if !keyIDs.isEmpty { other.state.rememberStart() }
        return true
    }

    /// Ends ``route(keyIDs:to:)`` for another mock.
    package func endRoutes(to other: MockServer) {
        state.endRoutes(to: other.state)
    }

    /// The key ids that choose another mock, sorted.
    package func keyIDs(choosing other: MockServer) -> [String] { state.keyIDs(choosing: other.state) }
}
