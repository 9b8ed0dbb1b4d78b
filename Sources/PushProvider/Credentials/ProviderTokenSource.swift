internal import NIOConcurrencyHelpers
internal import PushWire

/// A signed provider token.
struct ProviderToken: Sendable {
    var issuedAt: Int
    /// header.claims.signature
    var text: String
    /// The `authorization` field, ready for the wire.
    let field: KeptRequest
}

extension ProviderToken: CustomStringConvertible {
    /// The time of issue; nothing that could be used.
    var description: String { "provider token of \(issuedAt)" }
}

/// The provider tokens of one key: one at a time for the whole process, whatever the number of clients and connections.
final class ProviderTokenSource: Sendable {
    private struct State {
        var token: ProviderToken?
        var schedule = ProviderTokenSchedule()
        /// When a token was asked for last.
        var askedAt = Int.min
    }

    /// A token that was not asked for in so many seconds is not in use.
    private static let longestPause = 300

    private let key: ProviderKey
    private let state = NIOLockedValueBox(State())

    init(key: ProviderKey) {
        self.key = key
    }

    /// The token in force at a time. Signs only when the time of issue has changed.
    func token(secondsSince1970 now: Int) throws(CredentialsError) -> ProviderToken {
        let (issuedAt, token) = state.withLockedValue { state in
            state.askedAt = now
            return (state.schedule.issuedAt(now), state.token)
        }
        if let token, token.issuedAt == issuedAt { return token }
        let fresh = try sign(issuedAt: issuedAt)
        // Of two threads that signed at once the first one's token stays: there is one at a time.
        return state.withLockedValue { state in
            if let token = state.token, token.issuedAt == issuedAt { return token }
            state.token = fresh
            return fresh
        }
    }

    /// How old the token in use is, in seconds; `nil` when none was asked for in the last five minutes.
    func age(secondsSince1970 now: Int) -> Int? {
        state.withLockedValue { state in
            guard let token = state.token, state.askedAt >= now - Self.longestPause else { return nil }
            return now - token.issuedAt
        }
    }

    /// APNs has refused a token as too old.
    ///
    /// - Parameters:
    ///   - issuedAt: The token's time of issue.
    ///   - serverTime: The server's clock, where it has told it.
    ///   - now: This machine's clock.
    /// - Returns: Whether there is another token now, with which it is worth trying once more.
    func refusedAsTooOld(issuedAt: Int, serverTime: Int?, secondsSince1970 now: Int) -> Bool {
        state.withLockedValue { $0.schedule.refused(issuedAt, serverTime: serverTime, now: now) }
    }

    private func sign(issuedAt: Int) throws(CredentialsError) -> ProviderToken {
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"\#(key.keyID)"}"#.utf8)
        let claims = Base64URL.encode(#"{"iss":"\#(key.teamID)","iat":\#(issuedAt)}"#.utf8)
        let signed = "\(header).\(claims)"
        do throws(KeyError) {
            let text = "\(signed).\(Base64URL.encode(try key.signingKey.sign(signed.utf8)))"
            let field = KeptRequest(OutgoingFields(secret: APNSHeader.authorization, "bearer \(text)"))
            return ProviderToken(issuedAt: issuedAt, text: text, field: field)
        } catch {
            throw CredentialsError(code: .unusableKey, description: "The provider token cannot be signed: \(error)")
        }
    }

    /// The source of a key in this process.
    static func shared(for key: ProviderKey) -> ProviderTokenSource {
        ProviderTokenSources.ofThisProcess.source(for: key)
    }
}
