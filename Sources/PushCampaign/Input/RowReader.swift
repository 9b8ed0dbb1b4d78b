import PushJSON
internal import PushPlatform
internal import PushProvider
internal import PushTime

/// Makes a notification from a line (one JSON object) and the defaults of the campaign.
struct RowReader {
    private let defaults: BatchDefaults
    private var fields: RowFields
    private var outlined = OutlinedPayloads()
    private var use: TemplateUse
    /// The placeholder that the line that was read last has no value for, or a wrong one; `nil` if nothing is wrong with its values.
    private(set) var wrongValue: String?

    /// Returns a value that cuts the bytes of a file into lines for this reader.
    func text(format: BatchFormat?) -> BatchText {
        BatchText(
            format: format, tokenColumn: defaults.tokenColumn, requiring: RequiredColumns(defaults),
            takesUsers: defaults.takesUsers)
    }

    init(_ defaults: BatchDefaults) {
        self.defaults = defaults
        fields = RowFields(names: defaults.template?.names ?? [], takesUsers: defaults.takesUsers)
        use = TemplateUse(defaults.template)
    }

    /// The user of the line that was read last, which has no token then.
    private(set) var user: String?
    /// The hex digits of the device token if the line that was read last has them in another form, such as `<5f3a d1c0>`.
    private var hexOfOtherForm: [UInt8]?

    private struct Unusable: Error {
        var message: String
    }

    /// Returns the notification of a line. If the line cannot be sent, its row has the reason.
    mutating func notification(_ text: [UInt8], index: Int, line: Int, file: Int) -> PushNotification {
        wrongValue = nil
        return text.withUnsafeBufferPointer { json in
            if let problem = fields.find(in: json) {
                let row = BatchRow(index: index, line: line, file: file, text: text, skipReason: .invalid(problem))
                return .ofRow(row)
            }
            let ref = fields[.ref]
            let token = fields[.token].flatMap {
                json[$0.lowerBound] == UInt8(ascii: "\"") ? $0.lowerBound + 1..<$0.upperBound - 1 : nil
            }
            do {
                var notification = try notification(json)
                notification.row = BatchRow(
                    index: index, line: line, file: file, text: text, ref: ref, token: token,
                    hex: hexOfOtherForm, hasID: notification.id != nil,
                    hasRawPayload: hasOwnPayload && fields[.vars] == nil)
                return notification
            } catch {
                wrongValue = (error as? PushTemplateError)?.name
                let message = (error as? Unusable)?.message ?? "\(error)"
                return .ofRow(
                    BatchRow(
                        index: index, line: line, file: file, text: text, ref: ref, token: token,
                        skipReason: .invalid(message)))
            }
        }
    }

    /// The placeholders with a default that none of the lines so far has a value for.
    var unfilled: [UnfilledPlaceholder] { use.unfilled(of: defaults.template) }

    var hasOwnPayload: Bool { fields[.payload] != nil }

    /// Whether the line that was read last names a topic, even an empty one.
    var hasOwnTopic: Bool { fields[.topic] != nil }

    /// The values that the line that was read last has for the placeholders of the common payload, as a JSON object; `nil` if that has
    /// no placeholders.
    func variables(of text: [UInt8]) -> [UInt8]? {
        guard let names = defaults.template?.names, !names.isEmpty else { return nil }
        var json: [UInt8] = [UInt8(ascii: "{")]
        for (name, value) in zip(names, fields.values) where !value.isEmpty {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            JSONBytes.write(name, to: &json)
            json.append(UInt8(ascii: ":"))
            json += text[value]
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    private mutating func notification(_ json: UnsafeBufferPointer<UInt8>) throws -> PushNotification {
        (hexOfOtherForm, user) = (nil, nil)
        let token = try token(json)
        var notification = PushNotification(
            to: token, topic: defaults.topic, payload: try payload(json), pushType: defaults.pushType,
            priority: defaults.priority, expiration: defaults.expiration, collapseID: defaults.collapseID)
        if fields.hasSettings { try change(&notification, json) }
        return notification
    }

    private mutating func token(_ json: UnsafeBufferPointer<UInt8>) throws -> DeviceToken {
        guard let range = fields[.token] else {
            user = try text(.user, json)
            guard user != nil else {
                throw Unusable(message: "The line has no \"token\"\(defaults.takesUsers ? ", and no \"user\"" : "").")
            }
            return PushNotification.placeholder.deviceToken
        }
        guard let hex = JSONBytes.text(json, range) else { throw Unusable(message: "\"token\" must be a string.") }
        if fields[.user] != nil, defaults.template?.names.contains(RowFields.Name.user.text) != true {
            throw Unusable(message: "The line has two targets, \"token\" and \"user\". Give one of them.")
        }
        let token = try DeviceToken(pasted: hex)
        if token.hex != hex { hexOfOtherForm = Array(token.hex.utf8) }
        return token
    }

    /// Sets what the line has instead of a default. Most lines have nothing of this.
    private func change(_ notification: inout PushNotification, _ json: UnsafeBufferPointer<UInt8>) throws {
        if let topic = try text(.topic, json) { notification.topic = topic }
        if let pushType = try text(.pushType, json) { notification.pushType = PushType(rawValue: pushType) }
        if let collapseID = try text(.collapseID, json) { notification.collapseID = collapseID }
        if let priority = value(.priority, json) {
            guard let number = WholeNumber.written(priority) else {
                throw Unusable(message: "\"priority\" must be a whole number.")
            }
            notification.priority = PushPriority(rawValue: number)
        }
        if let expires = value(.expires, json) { notification.expiration = try expiration(expires) }
        if let id = try text(.apnsID, json) {
            guard let id = UUID(uuidString: id) else { throw Unusable(message: "\"apns_id\" must be a UUID.") }
            notification.id = id
        }
        if let time = value(.registeredAt, json) {
            notification.registeredAt = try Self.registration(time)
        }
    }

    private mutating func payload(_ json: UnsafeBufferPointer<UInt8>) throws -> PushPayload {
        guard let own = fields[.payload] else {
            // The template is used where it is: a copy would count several references.
            guard let payload = try defaults.template?.payload(json, fields.values, &outlined) else {
                throw Unusable(message: "The line has no \"payload\", and there is no payload for all lines.")
            }
            if defaults.checksPlaceholders,
                let problem = defaults.template?.foreignPlaceholder(unused: fields.unused(json))
            {
                throw Unusable(message: problem)
            }
            use.note(fields, json)
            return payload
        }
        // In CSV the payload is a string that contains JSON.
        let text = JSONBytes.text(json, own).map { Array($0.utf8) }
        if let values = fields[.vars] { return try rendered(text ?? Array(json[own]), Array(json[values]), json) }
        guard let bytes = text else { return outlined.payload(UnsafeBufferPointer(rebasing: json[own])) }
        guard JSONScanner.isValue(bytes) else { return PushPayload(json: bytes) }
        return outlined.payload(bytes, reading: nil)
    }

    /// Makes the payload of a line that has values for its own payload, as the service does for a push.
    private func rendered(
        _ payload: [UInt8], _ values: [UInt8], _ json: UnsafeBufferPointer<UInt8>
    ) throws(PushTemplateError) -> PushPayload {
        let template = try PayloadTemplate(json: payload)
        if defaults.checksPlaceholders {
            let used = Set(template.names)
            let unused = fields.variableNames(json).filter { !used.contains($0) }
            if let problem = template.foreignPlaceholder(unused: unused) {
                throw PushTemplateError(description: problem)
            }
        }
        return try template.payload(variables: values)
    }

    private func text(_ name: RowFields.Name, _ json: UnsafeBufferPointer<UInt8>) throws -> String? {
        guard let range = fields[name] else { return nil }
        guard let text = JSONBytes.text(json, range) else {
            throw Unusable(message: "\"\(name.text)\" must be a string.")
        }
        return text
    }

    /// Reads a string or a number. CSV does not distinguish them.
    private func value(_ name: RowFields.Name, _ json: UnsafeBufferPointer<UInt8>) -> String? {
        guard let range = fields[name] else { return nil }
        return JSONBytes.text(json, range) ?? String(decoding: json[range], as: UTF8.self)
    }

    private func expiration(_ text: String) throws -> PushExpiration {
        guard let expiration = PushExpiration(text: text) else {
            throw Unusable(message: "\"expires\" isn't a time. \(PushExpiration.advice)")
        }
        return expiration
    }

    /// Reads when a token was registered: a time, also in milliseconds, the unit of Apple's timestamps.
    private static func registration(_ text: String) throws -> Date {
        let time = try TimeText.millisecondsSince1970(text, in: "registered_at", takesMilliseconds: true)
        return Date(timeIntervalSince1970: Double(time) / 1000)
    }
}

extension PushNotification {
    /// Returns a placeholder notification for a line that is not sent.
    static func ofRow(_ row: BatchRow) -> PushNotification {
        var notification = placeholder
        notification.row = row
        return notification
    }

    fileprivate static let placeholder: PushNotification = {
        // "00" is valid hex, so this does not throw. The notification is never sent.
        let token = try? DeviceToken("00")
        guard let token else { preconditionFailure("00 is hex") }
        return PushNotification(to: token, topic: "", payload: PushPayload(json: "{}"))
    }()
}

/// Which placeholders the lines so far have a value for, and which of their values nothing uses. A pure value.
struct TemplateUse {
    private var filled: [Bool]
    private var unfilledCount: Int
    private var unused: [String] = []

    /// The maximum number of unused names that are remembered. Names of further lines are not suggested.
    private static let maximumUnused = 100

    init(_ template: PayloadTemplate?) {
        filled = Array(repeating: false, count: template?.names.count ?? 0)
        unfilledCount = filled.count
    }

    /// Notes the values of a line, once there is something left to find out.
    mutating func note(_ fields: RowFields, _ json: UnsafeBufferPointer<UInt8>) {
        if unfilledCount == 0 { return }
        for (slot, range) in fields.values.enumerated() where !range.isEmpty && !filled[slot] {
            filled[slot] = true
            unfilledCount -= 1
        }
        guard unused.count < Self.maximumUnused else { return }
        for name in fields.unused(json).prefix(Self.maximumUnused) where !unused.contains(name) { unused.append(name) }
    }

    func unfilled(of template: PayloadTemplate?) -> [UnfilledPlaceholder] {
        guard let template, unfilledCount > 0 else { return [] }
        let given = template.names.indices.filter { filled[$0] }.map { template.names[$0] }
        return template.unfilled(given: Set(given), unused: unused)
    }
}
