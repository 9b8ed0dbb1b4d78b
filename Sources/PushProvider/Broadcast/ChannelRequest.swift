internal import PushJSON
internal import PushWire

/// A request about broadcasts or channels: its kind, its header fields and its body.
struct ChannelRequest {
    let kind: RequestKind
    let fields: OutgoingFields
    var body: [UInt8] = []
    let id: RequestID

    static func create(_ storage: PushChannel.Storage, bundleID: String, id: RequestID) -> ChannelRequest {
        let body = #"{"message-storage-policy":\#(storage.rawValue),"push-type":"LiveActivity"}"#
        return ChannelRequest(
            kind: .createChannel, fields: fields(.createChannel, "/1/apps/\(bundleID)/channels", id: id),
            body: Array(body.utf8), id: id)
    }

    /// Reads, or deletes, a channel.
    static func one(
        _ kind: RequestKind, _ channel: PushChannel.ID, bundleID: String, id: RequestID
    ) -> ChannelRequest {
        ChannelRequest(kind: kind, fields: fields(kind, "/1/apps/\(bundleID)/channels", channel, id: id), id: id)
    }

    static func list(bundleID: String, id: RequestID) -> ChannelRequest {
        ChannelRequest(
            kind: .listChannels, fields: fields(.listChannels, "/1/apps/\(bundleID)/all-channels", id: id), id: id)
    }

    /// Sends a broadcast, whose expiration is a time.
    static func send(_ broadcast: PushBroadcast, expiration: String, id: RequestID) -> ChannelRequest {
        let fields = fields(
            .broadcast, "/4/broadcasts/apps/\(broadcast.bundleID)", broadcast.channel, id: id,
            others: [
                (APNSHeader.pushType, PushType.liveactivity.rawValue),
                (APNSHeader.priority, broadcast.priority.description),
                (APNSHeader.expiration, expiration),
            ])
        return ChannelRequest(kind: .broadcast, fields: fields, body: broadcast.payload.bytes, id: id)
    }

    private static func fields(
        _ kind: RequestKind, _ path: String, _ channel: PushChannel.ID? = nil, id: RequestID,
        others: [(name: String, value: String)] = []
    ) -> OutgoingFields {
        OutgoingFields(expecting: 256) { fields in
            fields.write(":path", path, indexing: .avoided)
            if let channel { fields.write(APNSHeader.channelID, channel.description) }
            for field in others { fields.write(field.name, field.value) }
            id.withSpelling { fields.write(APNSHeader.requestID, bytes: $0, indexing: .avoided) }
        }
    }
}

struct ChannelAnswer {
    /// The maximum number of bytes of an answer's body: many times a list of the 10 000 channels that an app can have.
    static let maximumBytes = 4 << 20

    /// Returns the channel that a JSON answer describes; `nil` if it does not.
    static func channel(_ body: [UInt8], id: PushChannel.ID) -> PushChannel? {
        guard let value = try? JSONReader.read(body), case .integer(let policy)? = value["message-storage-policy"],
            let storage = Int(exactly: policy).flatMap(PushChannel.Storage.init(rawValue:))
        else { return nil }
        guard case .string(let type)? = value["push-type"] else { return PushChannel(id: id, storage: storage) }
        return PushChannel(id: id, storage: storage, pushType: type)
    }

    /// Returns the ids in the answer to a list; `nil` if it has none.
    static func ids(_ body: [UInt8]) -> [PushChannel.ID]? {
        guard let value = try? JSONReader.read(body), case .array(let entries)? = value["channels"] else { return nil }
        var ids: [PushChannel.ID] = []
        for entry in entries {
            guard case .string(let text) = entry, let id = PushChannel.ID(returned: text) else { return nil }
            ids.append(id)
        }
        return ids
    }
}
