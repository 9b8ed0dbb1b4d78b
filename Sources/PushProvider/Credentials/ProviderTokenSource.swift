/// The provider tokens of one client: those of its key, by the clock of its environment.
struct ProviderTokenSource: Sendable {
    let signer: ProviderTokenSigner
    /// Whose clock judges the tokens, as ``PushEnvironment/clockName`` names it.
    let environment: String

    /// The token in force.
    func token(at time: ClockReading) throws(CredentialsError) -> ProviderToken {
        try signer.token(for: environment, at: time)
    }

    /// How old the token is, in seconds; `nil` when no client has asked for one in the last five minutes.
    func age(at time: ClockReading) -> Int? {
        signer.age(for: environment, at: time)
    }

    /// APNs has refused a token as too old.
    ///
    /// - Parameters:
    ///   - issuedAt: The token's time of issue.
    ///   - serverTime: The server's clock, where it has told it.
    ///   - time: This machine's clocks.
    /// - Returns: Whether there is another token now, with which it is worth trying once more.
    func refusedAsTooOld(issuedAt: Int, serverTime: Int?, at time: ClockReading) -> Bool {
        signer.withSchedule { $0.refusedAsTooOld(issuedAt, by: environment, serverTime: serverTime, at: time) }
    }

    /// APNs has refused a token as invalid. A skew that the token followed is forgotten.
    func refusedAsInvalid(issuedAt: Int, at time: ClockReading) {
        signer.withSchedule { $0.refusedAsInvalid(issuedAt, by: environment, at: time) }
    }
}
