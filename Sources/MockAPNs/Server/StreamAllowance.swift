import APNSVocabulary

/// Decides how many streams the client of a connection may open, and when it has had too many rejections.
///
/// The rules are in ``MockVariants``, and can change while the connection is open.
struct StreamAllowance: Equatable {
    enum Action: Equatable {
        case announce(UInt32)
        /// Send GOAWAY, and close the connection when no stream is open.
        case goAway
    }

    /// The maximum number of streams in the last SETTINGS.
    private(set) var announced: UInt32
    /// The rejections so far. `BadDeviceToken` counts twice, and 410 does not count.
    private var rejections = 0
    private var hasGoneAway = false

    init(announced: UInt32) {
        self.announced = announced
    }

    /// The handshake is complete.
    ///
    /// - Parameters:
    ///   - isAuthenticated: Whether the client has a certificate.
    ///   - variants: The rules.
    mutating func connectionEstablished(isAuthenticated: Bool, under variants: MockVariants) {
        announced = isAuthenticated ? variants.streamsAfterAuthentication : variants.streamsBeforeAuthentication
    }

    /// A request was checked.
    ///
    /// - Parameters:
    ///   - verdict: Its answer.
    ///   - isAuthenticated: Whether the client is authenticated after the request.
    ///   - variants: The rules.
    /// - Returns: What to do, in order.
    mutating func requestJudged(
        _ verdict: MockVerdict, isAuthenticated: Bool, under variants: MockVariants
    ) -> [Action] {
        var actions: [Action] = []
        let wanted = limit(after: verdict, isAuthenticated: isAuthenticated, under: variants)
        if wanted != announced {
            announced = wanted
            actions.append(.announce(wanted))
        }
        if let maximum = variants.errorsBeforeGoAway, count(verdict) >= maximum, !hasGoneAway {
            hasGoneAway = true
            actions.append(.goAway)
        }
        return actions
    }

    private func limit(
        after verdict: MockVerdict, isAuthenticated: Bool, under variants: MockVariants
    ) -> UInt32 {
        if variants.fallsToOneStream, verdict.reason != nil { return 1 }
        guard isAuthenticated else { return announced }
        return variants.streamsAfterAuthentication
    }

    private mutating func count(_ verdict: MockVerdict) -> Int {
        if verdict.reason != nil, verdict.status != 410 { rejections += verdict.reason == .badDeviceToken ? 2 : 1 }
        return rejections
    }
}
