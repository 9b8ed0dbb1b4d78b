import PushCommandLine
internal import PushLint
import PushPlatform
import PushProvider

/// The devices, the payload, and the headers of a command line. `send` makes its notifications from them, again for
/// each send.
struct Message: Sendable {
    private let devices: [DeviceToken]
    private let compose: @Sendable () throws -> ComposedPayload
    private let headers: HeaderOptions
    private let settings: Settings
    private let identity: PushIdentity?
    /// The file of the payload; `nil` if it has another source.
    private let name: String?
    /// Whether the payload is sent without a check.
    private let isUnchecked: Bool

    /// - Parameters:
    ///   - tokens: The device tokens or nicknames; empty for those of a variable, or the only device of the profile.
    ///   - payload: The options for the payload.
    ///   - headers: The options for the headers.
    ///   - how: The options for how to send.
    ///   - settings: What is set besides the options.
    ///   - identity: The certificate that signs; `nil` with a key.
    /// - Throws: ``CommandFailure`` if there is no device token, or one cannot be used.
    init(
        to tokens: [String], _ payload: PayloadOptions, _ headers: HeaderOptions, _ how: RunOptions,
        _ settings: Settings, _ identity: PushIdentity?
    ) throws {
        self.identity = identity
        compose = { try payload.composed() }
        name = payload.file
        isUnchecked = how.noLint
        self.headers = headers
        self.settings = settings
        devices = try Self.devices(tokens.isEmpty ? try Self.defaultTokens(settings) : tokens, settings)
        if devices.count > 1 || how.isLasting, headers.apnsID != nil {
            throw CommandFailure.usage(
                "--apns-id names one notification: send it once, to one device, or leave it out.")
        }
    }

    /// Reads and checks all of it.
    func notifications() throws -> [PushNotification] {
        let composed = try compose()
        let check = MessageCheck(composed, name: name, identity, isOff: isUnchecked)
        // A simulator file that cannot be read has no topic either. Report the unreadable file first.
        try check.refuseUnreadable()
        try headers.requireLaterExpiration()
        let topic = try headers.topic(in: composed, identity?.certificate, settings)
        let notifications = try devices.map { try headers.notification(to: $0, topic, composed) }
        // All notifications share payload and headers, so one check is enough.
        if let first = notifications.first { try check.refuseInvalid(first) }
        let isExplicit = headers.pushType != nil && headers.priority != nil
        if composed.isRaw || composed.template != nil, !isExplicit, let first = notifications.first {
            Output.note(Self.derivedHeaders(first))
        }
        return notifications
    }

    /// Reports tokens of an unusual length, all in one line.
    func noteLengths() {
        let findings = devices.flatMap { PayloadLint.findings(in: $0) }
        guard let first = findings.first else { return }
        let others = findings.count - 1
        let more = others == 0 ? "" : " (and \(counted(others, "other")))"
        Output.note("pushsend: \(first.severity.rawValue): \(first.subject): \(first)\(more) [\(first.rule)]")
    }

    /// What follows from the payload and the topic, and is sent.
    static func derivedHeaders(_ notification: PushNotification) -> String {
        let type = notification.effectivePushType
        guard notification.statesPriority else { return "Push type \(type), without a priority." }
        return "Push type \(type), priority \(notification.effectivePriority)."
    }

    /// The token of a variable, or that of the only device of the profile.
    private static func defaultTokens(_ settings: Settings) throws -> [String] {
        if !Fallback.tokens.isEmpty { return try Fallback.tokens.map(settings.token) }
        guard let device = settings.onlyDevice else { return [] }
        Output.note(
            "Sending to \(device.nickname), the only device of \(settings.profile ?? device.origin.description).")
        return [try settings.token(device.nickname)]
    }

    /// For a text without its flag, and a pasted line without quotation marks.
    private static let severalWords =
        " Each argument is a device token: write the text after -m, and a pasted line in quotes."

    private static func devices(_ texts: [String], _ settings: Settings) throws -> [DeviceToken] {
        guard !texts.isEmpty else {
            let names = settings.devices.map(\.nickname).prefix(20).joined(separator: ", ")
            let choice = names.isEmpty ? "" : " or a nickname (\(names))"
            throw CommandFailure.usage(
                "There is no device token: give <token>, which the app prints\(choice). See 'pushsend send --help'.")
        }
        var seen: Set<String> = []
        return try texts.compactMap { text in
            let pasted: PastedDeviceToken
            do throws(DeviceTokenError) {
                pasted = try PastedDeviceToken(text)
            } catch {
                let unknown = settings.unknownDevice(text).map { " \($0)" } ?? ""
                let several = texts.count > 1 && error.code == .notHex ? Self.severalWords : ""
                throw CommandFailure(.invalidInput, error.description + unknown + several)
            }
            if let note = pasted.note { Output.note("note: \(note)") }
            // Upper and lower case are the same device.
            guard seen.insert(pasted.token.hex.lowercased()).inserted else {
                Output.note("note: the device token \(pasted.token.shortened) is given twice; it gets one push")
                return nil
            }
            return pasted.token
        }
    }
}
