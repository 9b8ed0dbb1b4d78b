import APNSVocabulary
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON
internal import PushPlatform
import PushTime

/// The devices that the mock knows, and what it does with others.
enum DeviceRoutes {
    static let all: [ConsoleRoute] = [
        ConsoleRoute(.get, "/v1/devices", query: ["limit", "after"], handler: list),
        ConsoleRoute(.delete, "/v1/devices", handler: removeAll),
        ConsoleRoute(.get, "/v1/devices/{token}", handler: one),
        ConsoleRoute(.put, "/v1/devices/{token}", handler: put),
        ConsoleRoute(.delete, "/v1/devices/{token}", handler: remove),
        ConsoleRoute(.get, "/v1/settings") { settings(of: $0.namespace.mock) },
        ConsoleRoute(.patch, "/v1/settings", handler: changeSettings),
        ConsoleRoute(.get, "/v1/settings/facts", handler: settingFacts),
    ]

    @Sendable private static func list(_ request: ConsoleRequest) async throws -> Response {
        let limit = try request.pageLength()
        let after = request.query["after"]?.lowercased() ?? ""
        let found = request.namespace.mock.devices.filter { $0.token.hex.lowercased() > after }
        return .list(found, limit: limit, cursor: { $0.token.hex.lowercased() }) { write($1, to: &$0) }
    }

    private static func write(_ device: MockDevice, to writer: inout JSONWriter) {
        writer.member("token", device.token.hex)
        writer.member("topics", device.topics.sorted())
        writer.member("environment", device.environment?.rawValue)
        switch device.state {
        case .active: writer.member("state", DeviceForm.State.active.rawValue)
        case .unregistered(let since):
            writer.member("state", DeviceForm.State.unregistered.rawValue)
            writer.member("since", since.rfc3339)
        case .expired(let since):
            writer.member("state", DeviceForm.State.expired.rawValue)
            writer.member("since", since.rfc3339)
        }
        writer.member("online", device.isOnline)
        writer.member("notifications", device.allowsNotifications)
    }

    private static func token(_ request: ConsoleRequest) throws(APIProblem) -> DeviceToken {
        return try rethrowing(try DeviceToken(pasted: request.parameters["token"] ?? "")) { (error: DeviceTokenError) in
            APIProblem.invalid(error.description, field: "token")
        }
    }

    private static func device(_ request: ConsoleRequest) throws(APIProblem) -> MockDevice {
        let token = try token(request)
        guard let device = request.namespace.mock.device(token) else {
            throw .notFound(
                "The device \(token.shortened) isn't registered.", remedy: "PUT /v1/devices/TOKEN registers it.")
        }
        return device
    }

    @Sendable private static func one(_ request: ConsoleRequest) async throws -> Response {
        let device = try device(request)
        return .object { write(device, to: &$0) }
    }

    @Sendable private static func put(_ request: ConsoleRequest) async throws -> Response {
        let token = try token(request)
        let form = try request.form("topics", "environment", "state", "since", "online", "notifications")
        let device = try DeviceForm.device(form, token: token, now: request.namespace.mock.now)
        let isNew = request.namespace.mock.device(token) == nil
        if isNew { try DeviceForm.checkRoom(for: 1, in: request.namespace.mock) }
        request.namespace.mock.register(device)
        request.namespace.phones.checkDevices()
        return .object(status: isNew ? .created : .ok) { write(device, to: &$0) }
    }

    @Sendable private static func remove(_ request: ConsoleRequest) async throws -> Response {
        let token = try device(request).token
        request.namespace.mock.forget(token)
        request.namespace.phones.checkDevices()
        return .noContent
    }

    @Sendable private static func removeAll(_ request: ConsoleRequest) async throws -> Response {
        request.namespace.mock.forgetAllDevices()
        request.namespace.phones.checkDevices()
        return .noContent
    }

    // MARK: Settings

    private static func settings(of mock: MockServer) -> Response {
        .object { SettingsForm.write(mock.settings, to: &$0) }
    }

    @Sendable private static func settingFacts(_ request: ConsoleRequest) async throws -> Response {
        let settings = request.namespace.mock.settings
        return .object { writer in
            SettingsForm.writeFacts(settings, to: &writer)
            writer.member("next") { $0.null() }
        }
    }

    @Sendable private static func changeSettings(_ request: ConsoleRequest) async throws -> Response {
        var settings = request.namespace.mock.settings
        try SettingsForm.read(try request.json(), into: &settings)
        request.namespace.mock.settings = settings
        return Self.settings(of: request.namespace.mock)
    }
}
