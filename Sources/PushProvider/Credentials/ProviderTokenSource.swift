internal import NIOConcurrencyHelpers
internal import PushWire

/// A signed provider token.
struct ProviderToken: Sendable {
    var issuedAt: Int
    /// header.claims.signature
    var text: String
    /// The `authorization` field, ready for the wire.
    var field: HeaderBlock
}

extension ProviderToken: CustomStringConvertible {
    /// The time of issue; nothing that could be used.
    var description: String { "provider token of \(issuedAt)" }
}

/// The provider tokens of one key: one at a time for the whole process, whatever the number of clients and connections.
final class ProviderTokenSource: Sendable {
    private let key: ProviderKey
    private let current: NIOLockedValueBox<ProviderToken?>

    private init(key: ProviderKey) {
        self.key = key
        current = NIOLockedValueBox(nil)
    }

    /// The token in force at a time. Signs only when the grid has moved on.
    func token(secondsSince1970 now: Int) throws(CredentialsError) -> ProviderToken {
        let issuedAt = ProviderTokenGrid.issuedAt(now)
        if let token = current.withLockedValue({ $0 }), token.issuedAt == issuedAt { return token }
        let fresh = try sign(issuedAt: issuedAt)
        // Of two threads that signed at once the first one's token stays: there is one at a time.
        return current.withLockedValue { current in
            if let current, current.issuedAt == issuedAt { return current }
            current = fresh
            return fresh
        }
    }

    private func sign(issuedAt: Int) throws(CredentialsError) -> ProviderToken {
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"\#(key.keyID)"}"#.utf8)
        let claims = Base64URL.encode(#"{"iss":"\#(key.teamID)","iat":\#(issuedAt)}"#.utf8)
        let signed = "\(header).\(claims)"
        do throws(KeyError) {
            let text = "\(signed).\(Base64URL.encode(try key.signingKey.sign(signed.utf8)))"
            let field = HeaderBlock([(APNSHeader.authorization, "bearer \(text)")])
            return ProviderToken(issuedAt: issuedAt, text: text, field: field)
        } catch {
            throw CredentialsError(code: .unusableKey, description: "The provider token cannot be signed: \(error)")
        }
    }

    // MARK: One for the process

    private struct Identity: Hashable {
        var keyID: String
        var teamID: String
        var fingerprint: String
    }

    private struct Entry {
        weak var source: ProviderTokenSource?
    }

    private static let sources = NIOLockedValueBox<[Identity: Entry]>([:])

    /// The source of a key. Two clients with the same key get the same one.
    static func shared(for key: ProviderKey) -> ProviderTokenSource {
        let identity = Identity(keyID: key.keyID, teamID: key.teamID, fingerprint: key.signingKey.fingerprint)
        return sources.withLockedValue { sources in
            if let source = sources[identity]?.source { return source }
            let source = ProviderTokenSource(key: key)
            sources = sources.filter { $0.value.source != nil }
            sources[identity] = Entry(source: source)
            return source
        }
    }
}
