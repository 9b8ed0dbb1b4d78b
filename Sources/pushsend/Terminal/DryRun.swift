import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Shows what would be sent.
struct DryRun {
    var place: PushEnvironment
    var key: ProviderKey

    func show(_ notifications: [PushNotification], json: Bool) {
        for notification in notifications {
            Output.say(json ? line(notification).text : text(notification))
        }
    }

    private func text(_ notification: PushNotification) -> String {
        let limit = APNSLimit.payloadBytes(for: notification.effectivePushType)
        var lines = [
            "POST https://\(place)/3/device/\(notification.deviceToken.hex)",
            "authorization: bearer (signed with \(key))",
        ]
        lines += headers(notification).map { "\($0.name): \($0.value)" }
        lines += ["", payloadText(notification), ""]
        lines.append("\(notification.payload.bytes.count) of \(limit) bytes. Nothing was sent.")
        return lines.joined(separator: "\n")
    }

    private func line(_ notification: PushNotification) -> JSONLine {
        var line = JSONLine()
        line["outcome"] = "dry_run"
        line["token"] = .string(notification.deviceToken.hex)
        line["endpoint"] = .string(place.description)
        line["headers"] = .object(
            Dictionary(
                headers(notification).map { ($0.name, .string($0.value)) }, uniquingKeysWith: { first, _ in first })
        )
        line["payload"] = .string(payloadText(notification))
        line["payload_bytes"] = .integer(notification.payload.bytes.count)
        return line
    }

    private func headers(_ notification: PushNotification) -> [(name: String, value: String)] {
        var headers = [
            (APNSHeader.topic, notification.topic),
            (APNSHeader.pushType, notification.effectivePushType.rawValue),
            (APNSHeader.priority, notification.effectivePriority.description),
        ]
        switch notification.expiration {
        case .apnsDefault: break
        case .doNotStore: headers.append((APNSHeader.expiration, "0"))
        case .until(let seconds): headers.append((APNSHeader.expiration, String(seconds)))
        }
        if let collapseID = notification.collapseID { headers.append((APNSHeader.collapseID, collapseID)) }
        if let id = notification.id { headers.append((APNSHeader.id, id.uuidString.lowercased())) }
        return headers
    }

    private func payloadText(_ notification: PushNotification) -> String {
        String(decoding: notification.payload.bytes, as: UTF8.self)
    }
}
