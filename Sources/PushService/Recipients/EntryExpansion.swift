import APNSVocabulary
internal import HTTPTypes
import PushDelivery
import PushHTTP
import PushPlatform
import PushQueue
internal import PushWire

/// Makes of a push to a user one push for each of the user's devices.
enum EntryExpansion {
    /// The maximum number of pushes of a request with users.
    static let maximum = 5000
    /// How many entries are expanded at once: together they have at most ``maximum`` pushes, which hold at most 30 MiB until they are stored.
    static let slice = maximum / RecipientDevice.maximum
    /// What a push holds beside its payload, in bytes: the job, its device token and its details.
    private static let pushBytes = 1 << 10

    static func heldBytes(of found: [Result<[Entry], APIProblem>]) -> Int {
        found.reduce(0) { sum, pushes in
            let more = ((try? pushes.get()) ?? []).dropFirst()
            return sum + more.reduce(0) { $0 + pushBytes + $1.job.payload.count }
        }
    }

    /// The pushes of entries, in their order: a push to a token stays as it is.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - sender: The number of the key of the request; `nil` if it has none.
    /// - Returns: The pushes of each entry, or why there are none.
    /// - Throws: ``APIProblem`` if a table of devices cannot be asked, or if there are too many pushes.
    static func expand(_ entries: [Entry], sender: Int? = nil) async throws -> [Result<[Entry], APIProblem>] {
        guard entries.contains(where: { $0.user != nil }) else { return entries.map { .success([$0]) } }
        var (found, count): ([Result<[Entry], APIProblem>], Int) = ([], 0)
        var rest = entries[...]
        while !rest.isEmpty {
            let new = try await expand(slice: rest.prefix(slice), sender)
            rest = rest.dropFirst(slice)
            count += new.reduce(0) { $0 + ((try? $1.get().count) ?? 0) }
            guard count <= maximum else {
                throw APIProblem.impossible(
                    "The users have more than \(maximum) devices together. A request makes at most \(maximum) pushes.",
                    code: "too_many_devices", remedy: "Send fewer pushes at a time, or a stream of lines.")
            }
            found += new
        }
        return found
    }

    private static func expand(
        slice entries: ArraySlice<Entry>, _ sender: Int?
    ) async throws -> [Result<[Entry], APIProblem>] {
        var devices: [String: [UserID: Result<[RecipientDevice], QueueError>]] = [:]
        for (app, group) in Dictionary(grouping: entries.filter { $0.user != nil }, by: \.app) {
            let users = Set(group.compactMap(\.user).map { UserID($0.id) })
            do throws(QueueError) {
                devices[app] = try await group[0].recipients?.devices(of: Array(users), sender: sender)
            } catch {
                throw APIProblem.recipients(error)
            }
        }
        return entries.map { entry in
            guard let user = entry.user else { return .success([entry]) }
            return Result { () throws(APIProblem) in
                try pushes(of: entry, user, devices[entry.app]?[UserID(user.id)])
            }
        }
    }

    private static func pushes(
        of entry: Entry, _ user: Entry.User, _ found: Result<[RecipientDevice], QueueError>?
    ) throws(APIProblem) -> [Entry] {
        guard case .success(let all)? = found else {
            throw .impossible(
                "The table of devices doesn't accept this user.", code: "invalid_user", field: user.field,
                remedy: "Give the id as \"of_user\" expects it, for example a number.")
        }
        guard all.count <= RecipientDevice.maximum else {
            throw .impossible(
                "The user has more than \(RecipientDevice.maximum) devices.", code: "too_many_devices",
                field: user.field,
                remedy: "Delete old devices from the table.")
        }
        guard all.allSatisfy({ (try? DeviceToken($0.token)) != nil }) else {
            throw .impossible(
                "\"of_user\" returned something that isn't a device token.", code: "recipients_wrong",
                field: user.field, remedy: "Correct the row of the table, or the statement in the configuration.")
        }
        guard var details = PushDetails(encoded: entry.job.push) else { return [] }
        details.user = user.id
        var (seen, pushes): (Set<String>, [Entry]) = ([], [])
        for device in all where device.kind == user.kind && seen.insert(device.token).inserted {
            var push = entry
            details.registeredAt = device.registered?.date
            push.job.target = .device(device.token)
            push.job.push = details.encoded
            if let key = entry.job.dedupeKey {
                let digest = try rethrowing(
                    try Fingerprint.sha256(of: Array(TokenText.canonical(device.token).utf8))
                ) { (error: QueueError) in error.problem }
                push.job.dedupeKey = "\(key):\(HexText.of(Array(digest.prefix(16))))"
                push.job.olderDedupeKey = "\(key):\(device.token)"
            }
            pushes.append(push)
        }
        return pushes
    }
}

extension APIRequest {
    /// The pushes of entries. What they hold counts against the memory for clients, until the caller gives these bytes back.
    func expand(_ entries: [Entry]) async throws -> (pushes: [Result<[Entry], APIProblem>], bytes: Int) {
        let pushes = try await waiting { try await EntryExpansion.expand(entries, sender: key?.number) }
        let bytes = EntryExpansion.heldBytes(of: pushes)
        try rethrowing(try memory.grow(by: bytes)) { (error: SharedMemoryFull) in error.problem }
        return (pushes, bytes)
    }
}

extension APIProblem {
    /// A table of devices that cannot be asked. The log and the status have the reason, which names the database.
    static func recipients(_ error: QueueError) -> APIProblem {
        .later(
            .serviceUnavailable, code: "recipients_unavailable",
            "The table of devices of the app can't be queried at the moment.", afterSeconds: 5,
            remedy: "Send the request again later. GET /v1/status tells you what is wrong.")
    }
}
