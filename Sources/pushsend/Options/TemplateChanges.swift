import PushCommandLine
internal import PushJSON
internal import PushPlatform
import PushProvider

/// A template whose values are replaced by those of the flags.
struct TemplateChanges {
    let template: ReadyPayload
    private var members: [String: PushJSONValue]
    private var aps: [String: PushJSONValue]
    private let pushType: PushType?

    init(_ template: ReadyPayload, _ payload: PushPayload) {
        self.template = template
        pushType = payload.pushType
        members = PushJSONValue(json: payload.bytes).flatMap(\.members) ?? [:]
        aps = members["aps"]?.members ?? [:]
    }

    var payload: PushPayload {
        var members = members
        if !aps.isEmpty || members["aps"] != nil { members["aps"] = .object(aps) }
        return PushPayload(.object(members), pushType: pushType)
    }

    /// Applies the flags.
    ///
    /// - Throws: ``CommandFailure`` for a flag that does not fit the template.
    mutating func apply(_ options: PayloadOptions, custom: [String: PushJSONValue]) throws {
        try setLine(options.title, "title", "-t")
        try setLine(options.subtitle, "subtitle", "--subtitle")
        try setLine(options.message, "body", "-m")
        try setSound(options.sound)
        try set(options.badge.map(PushJSONValue.integer), "badge", "-b")
        try set(options.category.map(PushJSONValue.string), "category", "-y")
        try set(options.threadID.map(PushJSONValue.string), "thread-id", "--thread-id")
        try set(options.mutableContent ? 1 : nil, "mutable-content", "--mutable-content")
        try set(options.contentAvailable ? 1 : nil, "content-available", "--content-available")
        try setChannel(options.inputChannel)
        guard !custom.isEmpty else { return }
        guard template.allowedFlags == .alert || template.allowedFlags == .custom else { throw refusal("-d") }
        members.merge(custom) { _, given in given }
    }

    /// Sets a line of the alert. It replaces a text, or a localization key and its arguments.
    private mutating func setLine(_ text: String?, _ name: String, _ flag: String) throws {
        guard let text else { return }
        guard var alert = aps["alert"]?.members, allowsAlertFlags, name != "subtitle" || template.allowedFlags == .alert
        else {
            throw refusal(flag)
        }
        let prefix = name == "body" ? "" : "\(name)-"
        alert["\(prefix)loc-key"] = nil
        alert["\(prefix)loc-args"] = nil
        alert[name] = .string(text)
        aps["alert"] = .object(alert)
    }

    /// Sets the sound: for a critical alert only its name, for a Live Activity as a part of the alert.
    private mutating func setSound(_ name: String?) throws {
        guard let name else { return }
        guard allowsAlertFlags, var alert = aps["alert"]?.members else { throw refusal("-s") }
        if template.allowedFlags == .liveActivityAlert {
            alert["sound"] = .string(name)
            aps["alert"] = .object(alert)
        } else if var sound = aps["sound"]?.members {
            sound["name"] = .string(name)
            aps["sound"] = .object(sound)
        } else {
            aps["sound"] = .string(name)
        }
    }

    /// Sets the channel that a new Live Activity subscribes to.
    private mutating func setChannel(_ text: String?) throws {
        guard let text else { return }
        guard aps["input-push-channel"] != nil else {
            throw CommandFailure.usage(
                "--channel can't be used with the template \(template.name): it is for live-activity-start-channel.")
        }
        try rethrowing(aps["input-push-channel"] = .string(try PushChannel.ID(text).description)) {
            (error: PushConfigurationError) in
            CommandFailure(.invalidInput, error.description)
        }
    }

    private mutating func set(_ value: PushJSONValue?, _ key: String, _ flag: String) throws {
        guard let value else { return }
        guard template.allowedFlags == .alert else { throw refusal(flag) }
        aps[key] = value
    }

    private var allowsAlertFlags: Bool {
        template.allowedFlags == .alert || template.allowedFlags == .liveActivityAlert
    }

    private func refusal(_ flag: String) -> CommandFailure {
        let possible =
            switch template.allowedFlags {
            case .alert: "all flags that build an alert"
            case .liveActivityAlert: aps["alert"] == nil ? "none of these flags, as it has no alert" : "-t, -m and -s"
            case .custom: "-d and --data-json"
            case .nothing: "none of the flags that build a payload"
            }
        return .usage("\(flag) can't be used with the template \(template.name), which takes \(possible).")
    }
}

extension PushJSONValue {
    fileprivate var members: [String: PushJSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}
