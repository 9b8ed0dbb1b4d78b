#if PushService
    internal import NIOConcurrencyHelpers
    import PushHTTP
    import PushPlatform
    internal import PushWire

    /// The sessions of browsers. A login turns a key into a session, whose id a script cannot read.
    ///
    /// Sessions are in memory: a restart of the service ends them.
    final class Sessions: Sendable {
        /// A session.
        struct Session: Sendable {
            /// The key that opened it. The session ends when the key is revoked.
            var key: KeyProof
            /// The token that every write of the session must have.
            var csrf: String
            var until: ContinuousClock.Instant
        }

        /// How long a session lasts.
        static let lifetime = Duration.seconds(12 * 3600)
        /// The maximum number of sessions. The one that ends first makes room for another one.
        private static let most = 1000

        private let clock: @Sendable () -> ContinuousClock.Instant
        /// By the digest of the id, so that the search does not tell how much of an id is right.
        private let sessions = NIOLockedValueBox<[[UInt8]: Session]>([:])

        init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
            self.clock = clock
        }

        /// Opens a session with a new id.
        ///
        /// - Returns: The id and the session; `nil` if there are no random numbers.
        func open(_ key: KeyProof) -> (id: String, session: Session)? {
            var generator = SystemRandomNumberGenerator()
            let (id, csrf) = (Self.random(using: &generator), Self.random(using: &generator))
            guard let digest = Fingerprint.digest(of: Array(id.utf8)) else { return nil }
            let now = clock()
            let session = Session(key: key, csrf: csrf, until: now + Self.lifetime)
            sessions.withLockedValue { sessions in
                if sessions.count >= Self.most { sessions = sessions.filter { $0.value.until > now } }
                if sessions.count >= Self.most, let first = sessions.min(by: { $0.value.until < $1.value.until }) {
                    sessions[first.key] = nil
                }
                sessions[digest] = session
            }
            return (id, session)
        }

        /// The session of an id; `nil` if there is none, or it has ended.
        func session(_ id: String) -> Session? {
            guard let digest = Fingerprint.digest(of: Array(id.utf8)) else { return nil }
            let now = clock()
            return sessions.withLockedValue { sessions in
                guard let session = sessions[digest] else { return nil }
                if session.until <= now { sessions[digest] = nil }
                return session.until > now ? session : nil
            }
        }

        /// Ends a session.
        func close(_ id: String) {
            guard let digest = Fingerprint.digest(of: Array(id.utf8)) else { return }
            sessions.withLockedValue { $0[digest] = nil }
        }

        /// 32 random bytes in base64url.
        private static func random(using generator: inout some RandomNumberGenerator) -> String {
            Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        }
    }
#endif
