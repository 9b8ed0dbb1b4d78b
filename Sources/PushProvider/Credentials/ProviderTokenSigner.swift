internal import NIOConcurrencyHelpers
internal import PushWire

struct ProviderToken: Sendable {
    var issuedAt: Int
    /// The token: header.claims.signature
    var text: String
    /// The encoded `authorization` field.
    let field: KeptRequest
}

extension ProviderToken: CustomStringConvertible {
    /// The time of issue, without secrets.
    var description: String { "provider token of \(issuedAt)" }
}

/// Signs the provider tokens of one key, and caches the current ones for all clients and connections of the process.
final class ProviderTokenSigner: Sendable {
    private struct State {
        var schedule = ProviderTokenSchedule()
        /// The current tokens: usually one, more if a server's clock differs.
        var tokens: [ProviderToken] = []
        var askedAt = Int.min
    }

    /// How long a token counts as in use after the last request for it, in seconds.
    private static let longestPause = 300

    private let key: PushProviderKey
    private let state = NIOLockedValueBox(State())

    init(key: PushProviderKey) {
        self.key = key
    }

    /// Returns the token by this machine's clock. It signs only if the time of issue has changed.
    func token(secondsSince1970 now: Int) throws(PushCredentialsError) -> ProviderToken {
        // Limit the number, so that it cannot overflow.
        let now = min(max(now, -1 << 60), 1 << 60)
        return try token(askedAt: now) { $0.steadyIssuedAt(now) }
    }

    /// Returns the current token for an environment. It signs only if the time of issue has changed.
    func token(for environment: String, at time: ClockSample) throws(PushCredentialsError) -> ProviderToken {
        try token(askedAt: time.secondsSince1970) { $0.issuedAt(for: environment, at: time) }
    }

    private func token(
        askedAt now: Int, _ issuedAt: (inout ProviderTokenSchedule) -> Int
    ) throws(PushCredentialsError) -> ProviderToken {
        let (issuedAt, token) = state.withLockedValue { state in
            state.askedAt = now
            let issuedAt = issuedAt(&state.schedule)
            return (issuedAt, state.tokens.first { $0.issuedAt == issuedAt })
        }
        if let token { return token }
        let fresh = try sign(issuedAt: issuedAt)
        // If two threads signed at the same time, the first token is kept, so that there is only one.
        return state.withLockedValue { state in
            if let token = state.tokens.first(where: { $0.issuedAt == issuedAt }) { return token }
            state.tokens = state.tokens.filter { state.schedule.isInForce($0.issuedAt) } + [fresh]
            return fresh
        }
    }

    /// The age of the token of an environment, in seconds; `nil` if no client requested a token in the last five
    /// minutes.
    func age(for environment: String, at time: ClockSample) -> Int? {
        state.withLockedValue { state in
            guard state.askedAt >= time.secondsSince1970 - Self.longestPause else { return nil }
            return state.schedule.age(for: environment, at: time)
        }
    }

    func withSchedule<Result>(_ body: (inout ProviderTokenSchedule) -> Result) -> Result {
        state.withLockedValue { body(&$0.schedule) }
    }

    private func sign(issuedAt: Int) throws(PushCredentialsError) -> ProviderToken {
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"\#(key.keyID)"}"#)
        let claims = Base64URL.encode(#"{"iss":"\#(key.teamID)","iat":\#(issuedAt)}"#)
        let signed = "\(header).\(claims)"
        do throws(KeyError) {
            let text = "\(signed).\(Base64URL.encode(try key.signingKey.sign(signed.utf8)))"
            let field = KeptRequest(OutgoingFields(secret: APNSHeader.authorization, "bearer \(text)"))
            return ProviderToken(issuedAt: issuedAt, text: text, field: field)
        } catch {
            throw PushCredentialsError(.unusableKey, "The provider token can't be signed: \(error)")
        }
    }

    /// Returns the signer of a key in this process.
    static func shared(for key: PushProviderKey) -> ProviderTokenSigner {
        ProviderTokenSigners.ofThisProcess.signer(for: key)
    }
}
