import APNSVocabulary
import MockAPNs
import PushHTTP
import PushJSON
import PushPlatform

enum DeviceForm {
    enum State: String, CaseIterable {
        case active, unregistered, expired
    }

    /// The maximum number of topics of a device: that of an app has one for each push type.
    private static let maximumTopics = 20

    static func device(_ tree: LocatedJSON, at pointer: String, now: Date) throws -> MockDevice {
        let form = try FormReader(
            tree, at: pointer, known: ["token", "topics", "environment", "state", "since", "online", "notifications"])
        let text = try form.required("token", try form.string("token"))
        let token = try rethrowing(try DeviceToken(pasted: text)) { (error: DeviceTokenError) in
            form.problem("token", error.description)
        }
        return try device(form, token: token, now: now)
    }

    /// The members of a device, besides its token.
    ///
    /// - Parameters:
    ///   - form: The members.
    ///   - token: The token.
    ///   - now: The time since which the device is gone, if the form does not contain it.
    /// - Returns: The device.
    /// - Throws: ``APIProblem``.
    static func device(_ form: FormReader, token: DeviceToken, now: Date) throws(APIProblem) -> MockDevice {
        let topics = try form.topics("topics", atMost: maximumTopics) ?? []
        let environment = try form.choice("environment", MockEnvironment.self)
        let since = try form.time("since") ?? now
        let state: MockDevice.State =
            switch try form.choice("state", State.self) ?? .active {
            case .active: .active
            case .unregistered: .unregistered(since: since)
            case .expired: .expired(since: since)
            }
        if state == .active, form.value("since") != nil {
            throw form.problem("since", "\"since\" needs the state unregistered or expired.")
        }
        var device = MockDevice(token: token, topics: topics, environment: environment, state: state)
        device.isOnline = try form.bool("online") ?? true
        device.allowsNotifications = try form.bool("notifications") ?? true
        return device
    }

    static func checkRoom(for new: Int, in mock: MockServer) throws(APIProblem) {
        guard new > 0, mock.devices.count + new > MockServer.maximumDevices else { return }
        throw .impossible(
            "The mock holds at most \(MockServer.maximumDevices) devices.", code: "too_many_devices",
            remedy: "Delete some.")
    }
}
