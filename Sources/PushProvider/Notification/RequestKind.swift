internal import PushWire

/// The kinds of requests of Apple's provider API: what each one does, and which answers mean success.
enum RequestKind: UInt8, Sendable, CaseIterable {
    case push
    /// A push to all devices that subscribe to a channel.
    case broadcast
    case createChannel
    case readChannel
    case listChannels
    case deleteChannel

    var method: HTTP2Method {
        switch self {
        case .push, .broadcast, .createChannel: .post
        case .readChannel, .listChannels: .get
        case .deleteChannel: .delete
        }
    }

    /// The status that Apple documents for success.
    var successStatus: Int {
        switch self {
        case .push, .broadcast, .readChannel, .listChannels: 200
        case .createChannel: 201
        case .deleteChannel: 204
        }
    }

    /// Whether an answer with this status means success.
    ///
    /// A push to a device has exactly one status for success. For the creation and the deletion of a channel, other
    /// statuses from 200 to 299 are accepted, too: they cannot mean that nothing has happened.
    func isSuccess(_ status: Int) -> Bool {
        switch self {
        case .push, .broadcast, .readChannel, .listChannels: status == successStatus
        case .createChannel, .deleteChannel: (200..<300).contains(status)
        }
    }

    /// Whether a request that the server may have processed can be repeated: by the retry policy, for notifications; and
    /// always if a second time changes nothing. A second creation makes a second channel.
    var mayRepeatProcessed: Bool { self != .createChannel }

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
