internal import NIOConcurrencyHelpers
internal import PushWire

/// The ``ProviderTokenSigner`` of each key. Clients with the same key share it, also if one is created after the other.
final class ProviderTokenSigners: Sendable {
    static let ofThisProcess = ProviderTokenSigners()

    /// The maximum number of signers that are kept while no client uses them. The oldest one is released first.
    static let maximumKept = 16

    private struct Identity: Equatable {
        var keyID: String
        var teamID: String
        var fingerprint: String
    }

    private struct Entry {
        var identity: Identity
        weak var signer: ProviderTokenSigner?
    }

    private struct State {
        /// Not a dictionary, whose first use takes 0.05 ms of a program that sends one push.
        var all: [Entry] = []
        /// The signers that were requested last, the newest at the end. They are kept for a program that creates a
        /// client for each push: with a new token each time, APNs may answer TooManyProviderTokenUpdates.
        var kept: [ProviderTokenSigner] = []
    }

    private let state = NIOLockedValueBox(State())

    func signer(for key: PushProviderKey) -> ProviderTokenSigner {
        let identity = Identity(keyID: key.keyID, teamID: key.teamID, fingerprint: key.signingKey.fingerprint)
        let (signer, kept) = state.withLockedValue { state in
            let kept = state.kept
            let signer = state.all.first { $0.identity == identity }?.signer ?? ProviderTokenSigner(key: key)
            state.kept = kept.filter { $0 !== signer }.suffix(Self.maximumKept - 1) + [signer]
            state.all.removeAll { $0.signer == nil || $0.identity == identity }
            state.all.append(Entry(identity: identity, signer: signer))
            return (signer, kept)
        }
        // Signers are released here, outside the lock.
        return withExtendedLifetime(kept) { signer }
    }
}
