internal import HTTPTypes
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON
import PushPlatform
import VirtualPhones

/// The virtual phones: what they have, what they show, and what a user does on them.
enum PhoneRoutes {
    static let all: [ConsoleRoute] = [
        ConsoleRoute(.get, "/v1/phones", handler: list),
        ConsoleRoute(.get, "/v1/phones/{id}", handler: one),
        ConsoleRoute(.put, "/v1/phones/{id}", accepts: .yaml, handler: put),
        ConsoleRoute(.patch, "/v1/phones/{id}", handler: flip),
        ConsoleRoute(.delete, "/v1/phones/{id}", handler: remove),
        ConsoleRoute(.patch, "/v1/phones/{id}/apps/{topic}", handler: changeApp),
        ConsoleRoute(.get, "/v1/phones/{id}/screen", handler: screen),
        ConsoleRoute(.post, "/v1/phones/{id}/preview", handler: preview),
        ConsoleRoute(.post, "/v1/phones/{id}/actions", handler: act),
        ConsoleRoute(.get, "/v1/phones/{id}/attachments/{push}", handler: attachment),
    ]

    // MARK: Phones

    @Sendable private static func list(_ request: ConsoleRequest) async throws -> Response {
        let phones = await request.namespace.phones.read { phones, _ in phones.ids.compactMap(phones.phone) }
        return .list(phones) { PhoneForm.write($1, isWhole: false, to: &$0) }
    }

    private static func id(_ request: ConsoleRequest) -> String { request.parameters["id"] ?? "" }

    private static func missing(_ request: ConsoleRequest) -> APIProblem {
        let ids = request.namespace.phones.readNow { phones, _ in phones.ids }
        return .notFound(
            "There is no phone \(id(request).debugDescription).", remedy: "Phones: \(ids.joined(separator: ", ")).")
    }

    private static func answer(
        _ state: PhoneState?, to request: ConsoleRequest, status: HTTPResponse.Status = .ok
    ) throws(APIProblem) -> Response {
        guard let state else { throw missing(request) }
        let error = request.namespace.phones.profileError
        return .object(status: status) { PhoneForm.write(state, error: error, isWhole: true, to: &$0) }
    }

    @Sendable private static func one(_ request: ConsoleRequest) async throws -> Response {
        let id = id(request)
        return try answer(await request.namespace.phones.read { phones, _ in phones.phone(id) }, to: request)
    }

    @Sendable private static func put(_ request: ConsoleRequest) async throws -> Response {
        let id = id(request)
        let profile = try PhoneProfile(try request.json(), id: id)
        guard profile.id == id else {
            throw APIProblem.invalid(
                "The profile is that of \(profile.id.debugDescription), and the path names \(id.debugDescription).",
                field: "/id", remedy: "Leave out \"id\", or make them the same.")
        }
        await request.namespace.phones.caughtUp()
        guard let isNew = request.namespace.phones.put(profile) else {
            throw APIProblem.impossible(
                "There are \(Phones.maximumPhones) phones already.", code: "too_many_phones",
                remedy: "Delete one that is no longer needed.")
        }
        let state = request.namespace.phones.readNow { phones, _ in phones.phone(id) }
        return try answer(state, to: request, status: isNew ? .created : .ok)
    }

    @Sendable private static func flip(_ request: ConsoleRequest) async throws -> Response {
        let change = try SwitchesForm.read(try request.json())
        let id = id(request)
        await request.namespace.phones.caughtUp()
        return try answer(request.namespace.phones.change { $0.flip(id, at: $1, change) }, to: request)
    }

    @Sendable private static func remove(_ request: ConsoleRequest) async throws -> Response {
        let id = id(request)
        await request.namespace.phones.caughtUp()
        let (isThere, isRemoved) = request.namespace.phones.change { phones, _ in
            (phones.ids.contains(id), phones.remove(id))
        }
        guard isThere else { throw missing(request) }
        guard isRemoved else {
            throw APIProblem.conflict(
                "The last phone can't be deleted.", code: "last_phone", remedy: "PUT another one first.")
        }
        return .noContent
    }

    @Sendable private static func changeApp(_ request: ConsoleRequest) async throws -> Response {
        let change = try SwitchesForm.readApp(try request.json())
        let id = id(request)
        let topic = request.parameters["topic"] ?? ""
        await request.namespace.phones.caughtUp()
        if let state = request.namespace.phones.change({ $0.change(topic, on: id, at: $1, change) }) {
            return try answer(state, to: request)
        }
        guard let state = request.namespace.phones.readNow({ phones, _ in phones.phone(id) }) else {
            throw missing(request)
        }
        let topics = state.apps.map(\.profile.topic)
        throw APIProblem.notFound(
            "\(state.profile.name) has no app \(topic.debugDescription).",
            remedy: topics.isEmpty
                ? "It gets one with the first push, or from a profile." : "It has: \(topics.joined(separator: ", ")).")
    }

    // MARK: What they show

    @Sendable private static func screen(_ request: ConsoleRequest) async throws -> Response {
        let id = id(request)
        guard let screen = await request.namespace.phones.read({ $0.screen(of: id, at: $1) }) else {
            throw missing(request)
        }
        return .object { ScreenForm.write(screen, below: request.namespace.path, to: &$0) }
    }

    /// Tries a push that has not been sent.
    @Sendable private static func preview(_ request: ConsoleRequest) async throws -> Response {
        let form = try request.form("payload", "topic", "push_type", "collapse_id")
        let payload = try form.required("payload", try form.string("payload"))
        let topic = try form.required("topic", try form.string("topic"))
        let type = try form.string("push_type")
        let collapseID = try form.string("collapse_id")
        let id = id(request)
        let preview = await request.namespace.phones.read { phones, now in
            let push = PhonePush(
                number: 0, time: now, target: .device(""), headerTopic: topic, type: type, collapseID: collapseID,
                body: Array(payload.utf8), origin: "A preview: nothing was sent")
            return phones.preview(push, on: id)
        }
        guard let preview else { throw missing(request) }
        return .object { writer in
            writer.object("outcome") { RecordForm.write(preview.record.outcome, to: &$0) }
            RecordForm.writeDetails(of: preview.record, below: request.namespace.path, to: &writer)
            writer.object("screen") { ScreenForm.write(preview.screen, below: request.namespace.path, to: &$0) }
        }
    }

    @Sendable private static func act(_ request: ConsoleRequest) async throws -> Response {
        let form = try request.form("push", "action", "text", "topic")
        let push = try form.integer("push", in: 1...Int.max)
        let name = try form.required("action", try form.string("action"))
        let (topic, text) = (try form.string("topic"), try form.string("text"))
        let id = id(request)
        await request.namespace.phones.caughtUp()
        do throws(PhoneActionError) {
            let action = try PhoneAction(name, push: push, topic: topic, text: text)
            try request.namespace.phones.change { (phones: inout Phones, now) throws(PhoneActionError) in
                try phones.perform(action, on: id, at: now)
            }
        } catch {
            throw error.code == .noPhone ? missing(request) : error.problem
        }
        let (record, screen) = request.namespace.phones.readNow { phones, now in
            (push.flatMap { phones.record(of: $0) }, phones.screen(of: id, at: now))
        }
        return .object { writer in
            writer.object("outcome", of: record?.outcome) { RecordForm.write($1, to: &$0) }
            RecordForm.write(record?.timeline ?? [], to: &writer)
            writer.object("screen", of: screen) { ScreenForm.write($1, below: request.namespace.path, to: &$0) }
        }
    }

    /// A file that the profile names, with the type of its bytes.
    @Sendable private static func attachment(_ request: ConsoleRequest) async throws -> Response {
        let id = id(request)
        let push = try request.pathNumber("push")
        let (record, screen) = await request.namespace.phones.read { ($0.record(of: push), $0.screen(of: id, at: $1)) }
        guard let screen else { throw missing(request) }
        let card = record?.phone == id ? record?.card : nil
        guard let attachment = (card ?? screen.card(of: push))?.attachment, let file = PhoneFiles.read(attachment)
        else {
            throw APIProblem.notFound("Push \(push) has no attachment on \(id), or its file is gone.")
        }
        var response = Response(file.bytes, type: file.type.mediaType)
        response.headers[.contentDisposition] = "inline"
        return response
    }
}
