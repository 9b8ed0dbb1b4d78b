public import APNSVocabulary
internal import NIOCore

extension MockServer {
    package static let maximumDevices = 100_000

    /// The settings. A change acts on the next request.
    package var settings: MockSettings {
        get {
            let apns = state.apns
            return MockSettings(
                unknownTokens: apns.unknownTokens, acceptsMagicTokens: apns.acceptsMagicTokens,
                variants: apns.variants, seed: state.changeFaults { $0.seed })
        }
        set {
            state.change { apns in
                apns.unknownTokens = newValue.unknownTokens
                apns.acceptsMagicTokens = newValue.acceptsMagicTokens
                apns.variants = newValue.variants
            }
            state.changeFaults { $0.seed = newValue.seed }
        }
    }

    package var settingsAtStart: MockSettings { state.configuration.settings }

    /// The environment of connections that do not choose one.
    public var environment: MockEnvironment { state.configuration.environment }

    // MARK: Keys

    /// The keys whose provider tokens are accepted, sorted by key id.
    public var trustedKeys: [MockTrustedKey] { state.apns.trustedKeys.values.sorted { $0.keyID < $1.keyID } }

    /// The number of keys, including suspended ones.
    package var keyCount: Int { state.keyCount }

    /// Whether provider tokens must be signed by one of them.
    package var checksKeys: Bool { state.apns.authentication == .trustedKeys }

    /// Stops accepting the provider tokens of a key, as if it was revoked in Apple's portal.
    ///
    /// - Parameter keyID: The key id.
    /// - Returns: Whether it was accepted before.
    @discardableResult
    public func revokeKey(_ keyID: String) -> Bool { state.revoke(keyID) }

    /// Stops accepting the provider tokens of a key, until ``resumeKey(_:)``.
    package func suspendKey(_ keyID: String) { state.suspend(keyID) }

    package func resumeKey(_ keyID: String) { state.resume(keyID) }

    // MARK: Devices

    /// All registered devices, sorted by device token.
    public var devices: [MockDevice] { state.apns.devices.all }

    /// The registered device with a token; `nil` if it is not registered.
    public func device(_ token: DeviceToken) -> MockDevice? { state.apns.devices.device(hex: token.hex) }

    /// Removes a device from the registry. Its token is then an unknown one.
    public func forget(_ token: DeviceToken) { state.change { $0.devices.forget(token) } }

    /// Removes all devices from the registry.
    public func forgetAllDevices() { state.change { $0.devices = DeviceRegistry() } }

    // MARK: Clock

    /// Whether the clock differs from the system's clock.
    package var clockIsMoved: Bool { state.clock.isMoved }

    package var clockIsStopped: Bool { state.clock.isStopped }

    // MARK: Log

    /// The request with this number; `nil` if it has not arrived or is no longer in the log.
    public func arrival(numbered number: Int) -> MockArrival? {
        state.journal.page(from: number, atMost: 1).first.flatMap { $0.number == number ? $0 : nil }
    }

    /// The number of the newest request that was dropped because of a limit of the log; 0 if there was none.
    public var droppedThrough: Int { state.journal.droppedThrough }

    package var logCount: Int { state.journal.logCount }

    /// The number of requests that were dropped because of a limit of the log.
    package var droppedCount: Int { state.journal.droppedCount }

    /// The number of broken rules since the start or the last reset.
    package var violationTotal: Int { state.violations.total }

    /// Returns several requests at once, for a log that is written in batches. Waits for at least one.
    ///
    /// - Parameters:
    ///   - number: The number of the first request, from 1. If it is no longer in the log, the oldest one in the log is first.
    ///   - count: The maximum number of requests.
    ///   - duration: The maximum time to wait; `nil` for no limit.
    /// - Returns: The requests; none after the duration. `nil` when the mock has stopped or the task was cancelled.
    package func arrivals(
        from number: Int, atMost count: Int, within duration: Duration? = nil
    ) async -> [MockArrival]? {
        do throws(MockWaitError) {
            let deadline = duration.map { NIODeadline.now() + TimeAmount($0) }
            let first = try await state.journal.arrival(from: number, before: deadline)
            let page = state.journal.page(from: first.number, atMost: count)
            return page.isEmpty ? [first] : page
        } catch {
            return error.code == .timeout ? [] : nil
        }
    }

    /// The faults that can still act, by their numbers.
    package var activeFaults: [MockFault.ID: MockFault] {
        state.changeFaults { plan in
            Dictionary(uniqueKeysWithValues: plan.activeFaults.map { ($0.id, $0.fault) })
        }
    }
}
