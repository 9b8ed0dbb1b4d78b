public import Logging
public import NIOCore
public import NIOPosix
public import PushPlatform

/// Creates, reads, lists and deletes the broadcast channels of an app.
///
/// A request has the same outcomes, connections, deadlines and proxies as a push. Every method throws
/// ``PushOutcome`` for all outcomes except the acceptance. Shut it down when you no longer need it, as a client.
public final class PushChannels: Sendable {
    /// The service that manages the channels.
    public var environment: PushEnvironment { client.environment }

    private let client: PushClient

    /// Creates a manager of channels. It opens no connection before the first request.
    ///
    /// - Parameters:
    ///   - environment: The service that manages channels: ``PushEnvironment/productionChannels`` or
    ///     ``PushEnvironment/sandboxChannels``, or the management port of a mock.
    ///   - credentials: The key or the certificate that authenticates to APNs.
    ///   - configuration: The configuration of the connections. Without a name for metrics, the label `client` of its
    ///     metrics is `channels`, so that these requests do not count as pushes.
    ///   - eventLoopGroup: The threads for input and output; by default those of the process.
    ///   - logger: The logger.
    /// - Throws: ``PushCredentialsError`` and ``PushConfigurationError``, as the initializer of ``PushClient``.
    public init(
        environment: PushEnvironment, credentials: PushCredentials,
        configuration: PushConfiguration = PushConfiguration(),
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger = Logger(label: "PushProvider")
    ) throws {
        if let service = environment.appleService, !environment.managesChannels {
            throw PushConfigurationError(
                name: "environment",
                description: "\(environment.host) doesn't manage channels: use .\(service.rawValue)Channels.")
        }
        var configuration = configuration
        configuration.metricsName = configuration.metricsName ?? "channels"
        client = try PushClient(
            environment: environment, credentials: credentials, configuration: configuration,
            eventLoopGroup: eventLoopGroup, resolver: SystemNames.shared, answerBytes: ChannelAnswer.maximumBytes,
            logger: logger)
    }

    /// Creates a channel. An app can have 10,000 channels in each environment.
    ///
    /// If the outcome is unknown, the channel may exist: ``ids(of:requestID:timeout:)`` shows it. A request that APNs may
    /// have processed is never repeated, whatever the retry policy says, because that would create a second channel.
    /// - Parameters:
    ///   - bundleID: The app's bundle id, without the suffix of a push type.
    ///   - storage: What APNs stores for devices that are offline.
    ///   - requestID: The `apns-request-id`; random by default. Errors and APNs's logs have it.
    ///   - timeout: The maximum time until the outcome; the timeout of the configuration by default.
    /// - Returns: The id of the channel.
    /// - Throws: ``PushOutcome``.
    public func create(
        for bundleID: String, storage: PushChannel.Storage, requestID: UUID? = nil, timeout: Duration? = nil
    ) async throws(PushOutcome) -> PushChannel.ID {
        try check(bundleID)
        let request = ChannelRequest.create(storage, bundleID: bundleID, id: id(requestID))
        let accepted = try await accepted(request, timeout)
        guard let text = accepted.reply?.channelID, !text.isEmpty else {
            throw malformed("the answer has no channel id", request, accepted)
        }
        guard let id = PushChannel.ID(returned: text) else {
            throw malformed("the answer has the channel id \"\(PeerText.printable(text))\"", request, accepted)
        }
        return id
    }

    /// Reads a channel.
    ///
    /// - Parameters:
    ///   - id: The id of the channel.
    ///   - bundleID: The app's bundle id.
    ///   - requestID: The `apns-request-id`; random by default.
    ///   - timeout: The maximum time until the outcome; the timeout of the configuration by default.
    /// - Returns: The channel.
    /// - Throws: ``PushOutcome``; `rejected` with ``RejectionReason/channelNotRegistered`` for an unknown channel.
    public func channel(
        _ id: PushChannel.ID, of bundleID: String, requestID: UUID? = nil, timeout: Duration? = nil
    ) async throws(PushOutcome) -> PushChannel {
        try check(bundleID)
        let request = ChannelRequest.one(.readChannel, id, bundleID: bundleID, id: self.id(requestID))
        let accepted = try await accepted(request, timeout)
        guard let channel = ChannelAnswer.channel(accepted.reply?.body ?? [], id: id) else {
            throw malformed("the answer doesn't describe a channel", request, accepted)
        }
        return channel
    }

    /// Lists the channels of an app in this environment.
    ///
    /// - Parameters:
    ///   - bundleID: The app's bundle id.
    ///   - requestID: The `apns-request-id`; random by default.
    ///   - timeout: The maximum time until the outcome; the timeout of the configuration by default.
    /// - Returns: The ids, in the order of the answer.
    /// - Throws: ``PushOutcome``.
    public func ids(
        of bundleID: String, requestID: UUID? = nil, timeout: Duration? = nil
    ) async throws(PushOutcome) -> [PushChannel.ID] {
        try check(bundleID)
        let request = ChannelRequest.list(bundleID: bundleID, id: id(requestID))
        let accepted = try await accepted(request, timeout)
        if accepted.reply?.isCut == true {
            throw malformed("the answer is longer than \(ChannelAnswer.maximumBytes >> 20) MB", request, accepted)
        }
        guard let ids = ChannelAnswer.ids(accepted.reply?.body ?? []) else {
            throw malformed("the answer has no list of channels", request, accepted)
        }
        return ids
    }

    /// Deletes a channel. It does not come back, and its id is never used again.
    ///
    /// With ``PushConfiguration/RetryPolicy/Guarantee/atLeastOnce``, ``RejectionReason/channelNotRegistered`` can mean that an earlier
    /// attempt has deleted it.
    /// - Parameters:
    ///   - id: The id of the channel.
    ///   - bundleID: The app's bundle id.
    ///   - requestID: The `apns-request-id`; random by default.
    ///   - timeout: The maximum time until the outcome; the timeout of the configuration by default.
    /// - Throws: ``PushOutcome``.
    public func delete(
        _ id: PushChannel.ID, of bundleID: String, requestID: UUID? = nil, timeout: Duration? = nil
    ) async throws(PushOutcome) {
        try check(bundleID)
        _ = try await accepted(
            .one(.deleteChannel, id, bundleID: bundleID, id: self.id(requestID)), timeout)
    }

    /// Accepts no more requests, waits for those in flight, and closes the connections.
    ///
    /// - Parameter drainTime: The maximum time to wait, by default that of the configuration.
    /// - Returns: The number of requests that were not finished.
    @discardableResult
    public func shutdown(drainTime: Duration? = nil) async -> PushClient.ShutdownReport {
        await client.shutdown(drainTime: drainTime)
    }

    private func check(_ bundleID: String) throws(PushOutcome) {
        let findings = BroadcastChecks.findings(bundleID: bundleID)
        if !findings.isEmpty { throw .invalid(findings) }
    }

    private func accepted(_ request: ChannelRequest, _ timeout: Duration?) async throws(PushOutcome)
        -> PushOutcome.Acceptance
    {
        try await client.outcome(of: request, timeout: timeout).get()
    }

    private func id(_ requestID: UUID?) -> RequestID { requestID.map(RequestID.init) ?? client.ids.next() }

    private func malformed(_ message: String, _ request: ChannelRequest, _ accepted: PushOutcome.Acceptance)
        -> PushOutcome
    {
        .unknown(
            PushOutcome.Unknown(
                cause: .malformedAnswer, phase: .parse,
                apnsID: accepted.apnsID.isEmpty ? request.id.description : accepted.apnsID,
                description: "\(message), although its status means success.", trace: accepted.trace))
    }
}
