internal import NIOConcurrencyHelpers
internal import PushWire

/// One ``ProviderTokenSource`` for each key: clients with the same key get the same one, at the same time or one after the other.
final class ProviderTokenSources: Sendable {
    static let ofThisProcess = ProviderTokenSources()

    /// So many keys have their tokens kept while no client uses them.
    static let mostKept = 16

    private struct Identity: Hashable {
        var keyID: String
        var teamID: String
        var fingerprint: String
    }

    private struct Entry {
        weak var source: ProviderTokenSource?
    }

    private struct State {
        var all: [Identity: Entry] = [:]
        /// Those asked for last, the newest at the end. A program that makes a client for each push must not show APNs another
        /// token each time, which it may refuse as too many updates: between two clients nobody else holds the source.
        var kept: [ProviderTokenSource] = []
    }

    private let state = NIOLockedValueBox(State())

    func source(for key: ProviderKey) -> ProviderTokenSource {
        let identity = Identity(keyID: key.keyID, teamID: key.teamID, fingerprint: key.signingKey.fingerprint)
        let (source, kept) = state.withLockedValue { state in
            let kept = state.kept
            let source = state.all[identity]?.source ?? ProviderTokenSource(key: key)
            state.kept = kept.filter { $0 !== source }.suffix(Self.mostKept - 1) + [source]
            state.all = state.all.filter { $0.value.source != nil }
            state.all[identity] = Entry(source: source)
            return (source, kept)
        }
        // What is let go ends here, and not under the lock.
        return withExtendedLifetime(kept) { source }
    }
}
