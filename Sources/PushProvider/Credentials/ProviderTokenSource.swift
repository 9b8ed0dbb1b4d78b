/// The provider tokens of one client, with its key, by the clock of its environment.
struct ProviderTokenSource: Sendable {
    let signer: ProviderTokenSigner
    /// The environment whose clock checks the tokens, see ``PushEnvironment/clockName``.
    let environment: String

    func token(at time: ClockSample) throws(PushCredentialsError) -> ProviderToken {
        try signer.token(for: environment, at: time)
    }

    /// The age of the token, in seconds; `nil` if no client requested one in the last five minutes.
    func age(at time: ClockSample) -> Int? {
        signer.age(for: environment, at: time)
    }

    /// Records that APNs refused a token as too old.
    ///
    /// - Parameters:
    ///   - issuedAt: The token's time of issue.
    ///   - serverTime: The server's clock; `nil` if the server did not send its time.
    ///   - time: This machine's clocks.
    /// - Returns: Whether there is another token now, so that a retry can succeed.
    func refusedAsTooOld(issuedAt: Int, serverTime: Int?, at time: ClockSample) -> Bool {
        signer.withSchedule { $0.refusedAsTooOld(issuedAt, by: environment, serverTime: serverTime, at: time) }
    }

    /// Records that APNs refused a token as invalid. If the token followed a skew, the skew is discarded.
    func refusedAsInvalid(issuedAt: Int, at time: ClockSample) {
        signer.withSchedule { $0.refusedAsInvalid(issuedAt, by: environment, at: time) }
    }
}
