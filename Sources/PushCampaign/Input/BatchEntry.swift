public import PushJSON
public import PushProvider

/// One line of a campaign that comes from a program and not from a file.
public struct BatchEntry: Sendable {
    /// What to send.
    public var notification: PushNotification
    /// Whatever tells the line from others afterwards: the row's id in a database, for example.
    public var ref: JSONValue?

    /// Describes a line.
    ///
    /// - Parameters:
    ///   - notification: What to send.
    ///   - ref: Whatever tells the line from others afterwards.
    public init(_ notification: PushNotification, ref: JSONValue? = nil) {
        self.notification = notification
        self.ref = ref
    }

    /// With a row that says in JSON all that it is. What identifies the line comes first: another run knows it by that. Times and
    /// the id may be new in each run.
    func notification(place: Int) -> PushNotification {
        var json = Array("{\"token\":".utf8)
        JSONBytes.write(notification.deviceToken.hex.utf8, to: &json)
        let token = json.count - 1 - notification.deviceToken.hex.utf8.count..<json.count - 1
        var refPlace: Range<Int>?
        if let ref {
            json += ",\"ref\":".utf8
            let start = json.count
            json += ref.encoded
            refPlace = start..<json.count
        }
        json += ",\"topic\":".utf8
        JSONBytes.write(notification.topic.utf8, to: &json)
        if let pushType = notification.pushType {
            json += ",\"push_type\":".utf8
            JSONBytes.write(pushType.rawValue.utf8, to: &json)
        }
        if let priority = notification.priority { json += ",\"priority\":\(priority)".utf8 }
        if let collapseID = notification.collapseID {
            json += ",\"collapse_id\":".utf8
            JSONBytes.write(collapseID.utf8, to: &json)
        }
        // A Live Activity shows how something is at a time: another run may well show it as it is then.
        let hasTimes = notification.effectivePushType == .liveactivity
        if !hasTimes { Self.write(notification.payload, to: &json) }
        let identifying = json.count
        if hasTimes { Self.write(notification.payload, to: &json) }
        if let id = notification.id { json += ",\"apns_id\":\"\(RequestID(id))\"".utf8 }
        switch notification.effectiveExpiration {
        case .after(let seconds): json += ",\"expires\":\"\(seconds)s\"".utf8
        case let fixed: if let value = fixed.headerValue { json += ",\"expires\":\(value)".utf8 }
        }
        json.append(UInt8(ascii: "}"))
        var numbered = notification
        numbered.row = BatchRow(
            place: place, line: place + 1, file: 0, text: json, identified: identifying, ref: refPlace,
            token: token, hasID: notification.id != nil)
        return numbered
    }

    private static func write(_ payload: PushPayload, to json: inout [UInt8]) {
        guard payload.reading.obstacle == nil else { return }
        json += ",\"payload\":".utf8
        json += payload.bytes.map { $0 < 0x20 ? 0x20 : $0 }
    }
}
