/// The kinds of requests of Apple's provider API: what each one does, and which answers mean success.
enum RequestKind: UInt8, Sendable, CaseIterable {
    /// A push to a device.
    case push
    /// A push to all devices that subscribe to a channel.
    case broadcast
    case createChannel
    case readChannel
    case listChannels
    case deleteChannel

    /// The HTTP method.
    var method: String {
        switch self {
        case .push, .broadcast, .createChannel: "POST"
        case .readChannel, .listChannels: "GET"
        case .deleteChannel: "DELETE"
        }
    }

    /// Whether an answer with this status means success.
    ///
    /// A push to a device has exactly one status for success. For the others, a 200 in place of the documented status is
    /// accepted, too: it cannot mean anything else.
    func isSuccess(_ status: Int) -> Bool {
        switch self {
        case .push, .broadcast, .readChannel, .listChannels: status == 200
        case .createChannel: status == 201 || status == 200
        case .deleteChannel: status == 204 || status == 200
        }
    }

    /// Whether the header `apns-request-id` has the id of the request, instead of `apns-id`.
    var hasRequestID: Bool { self != .push }

    /// What the log and the traces call it.
    var name: String {
        switch self {
        case .push, .broadcast: "send"
        case .createChannel: "create channel"
        case .readChannel: "read channel"
        case .listChannels: "list channels"
        case .deleteChannel: "delete channel"
        }
    }
}
