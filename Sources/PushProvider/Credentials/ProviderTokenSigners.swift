internal import NIOConcurrencyHelpers
internal import PushWire

/// One ``ProviderTokenSigner`` for each key: clients with the same key get the same one, at the same time or one after the other.
final class ProviderTokenSigners: Sendable {
    static let ofThisProcess = ProviderTokenSigners()

    /// So many keys have their tokens kept while no client uses them.
    static let mostKept = 16

    private struct Identity: Hashable {
        var keyID: String
        var teamID: String
        var fingerprint: String
    }

    private struct Entry {
        weak var signer: ProviderTokenSigner?
    }

    private struct State {
        var all: [Identity: Entry] = [:]
        /// Those asked for last, the newest at the end. A program that makes a client for each push must not show APNs another
        /// token each time, which it may refuse as too many updates: between two clients nobody else holds the signer.
        var kept: [ProviderTokenSigner] = []
    }

    private let state = NIOLockedValueBox(State())

    func signer(for key: ProviderKey) -> ProviderTokenSigner {
        let identity = Identity(keyID: key.keyID, teamID: key.teamID, fingerprint: key.signingKey.fingerprint)
        let (signer, kept) = state.withLockedValue { state in
            let kept = state.kept
            let signer = state.all[identity]?.signer ?? ProviderTokenSigner(key: key)
            state.kept = kept.filter { $0 !== signer }.suffix(Self.mostKept - 1) + [signer]
            state.all = state.all.filter { $0.value.signer != nil }
            state.all[identity] = Entry(signer: signer)
            return (signer, kept)
        }
        // What is let go ends here, and not under the lock.
        return withExtendedLifetime(kept) { signer }
    }
}
