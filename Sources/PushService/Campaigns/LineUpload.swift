import APNSVocabulary
internal import Hummingbird
internal import NIOCore
import PushCampaign
import PushDelivery
import PushHTTP
import PushJSON
import PushPlatform
import PushProvider
import PushQueue
internal import PushWire

/// Takes the lines of a campaign from the body of a request, group by group. Lines that arrive while a group is stored share the
/// next one. No more are read until the group is on disk, so the memory is bounded.
struct LineUpload {
    private let request: APIRequest
    /// `nil` before it is created.
    private(set) var campaign: QueueCampaign?
    /// Creates the campaign with its first lines: a request without lines, or that is not understood, leaves nothing. `nil` if the
    /// campaign exists.
    private let create: (() async throws -> QueueCampaign)?
    private let app: AppSettings
    private let maker: CampaignLineMaker
    private var lines: UploadedLines
    /// Whether the campaign is to have these lines and no other ones, because the request has an idempotency key.
    private let isWhole: Bool
    /// Whether the campaign had no line before.
    private var isFirst = true
    /// How many bytes the body had, and whether there was a line end among them.
    private var body = (bytes: 0, hasLineEnd: false)

    private var counted: UploadedCount

    private static let linesAtOnce = 500
    /// What an upload holds at most, in bytes: parts of the body that have arrived, and a group of lines. The pushes to devices of users
    /// are counted when they are known.
    private static let heldBytes = 512 << 10
    /// The upload ends after this number of refused lines if no line can be sent: the campaign or the file is wrong.
    static let enough = 1000

    init(_ request: APIRequest, _ campaign: QueueCampaign, format: BatchFormat?, first: Int?) async throws {
        try await self.init(
            request, app: campaign.app, settings: campaign.settings, format: format, first: first, isWhole: false)
        self.campaign = campaign
        isFirst = campaign.lastLine == 0
    }

    init(
        _ request: APIRequest, of new: NewQueueCampaign, format: BatchFormat?, isWhole: Bool,
        create: @escaping () async throws -> QueueCampaign
    ) async throws {
        try await self.init(
            request, app: new.app, settings: new.settings, format: format, first: nil, isWhole: isWhole, create: create)
    }

    private init(
        _ request: APIRequest, app name: String, settings bytes: [UInt8], format: BatchFormat?, first: Int?,
        isWhole: Bool, create: (() async throws -> QueueCampaign)? = nil
    ) async throws {
        guard let app = request.parts.apps[name] else {
            throw APIProblem.impossible(
                "The app of the campaign isn't in the configuration.", code: "unknown_app",
                remedy: "Put it back into the configuration.")
        }
        guard let settings = CampaignSettings(encoded: bytes) else {
            throw QueueError(.defect, "The campaign's settings can't be read.")
        }
        try request.memory.grow(by: Self.heldBytes)
        request.client?.gatherBody()
        (self.request, self.app, self.isWhole, self.create) = (request, app, isWhole, create)
        maker = CampaignLineMaker(
            app: app, settings: settings, sender: request.key?.number, defaultTopic: request.parts.apps.defaultTopic,
            isWhole: isWhole)
        counted = UploadedCount(request.memory)
        let now = try await request.parts.queue.now()
        lines = UploadedLines(
            format: format, try settings.defaults(for: app, areStored: true), first: first,
            secondsSince1970: Int(now.milliseconds / 1000),
            defaultTopic: { [topic = request.parts.apps.defaultTopic] in topic(app, $0) })
    }

    /// Reads the whole body, or takes the pushes of an array that was read, one line for each.
    ///
    /// - Throws: ``APIProblem`` that also states what was stored before, and from where to continue.
    mutating func run(_ array: JSONTree? = nil) async throws {
        do {
            if let array { feed(array) } else { try await readBody() }
            lines.end()
            try await store()
            try requireLines()
            try await noteUnfilled()
        } catch {
            try? await noteUnfilled()
            throw reported(error)
        }
    }

    private mutating func readBody() async throws {
        for try await buffer in request.source.body {
            feed(Array(buffer.readableBytesView))
            try await store()
            if request.parts.answers.isOver { throw APIProblem.stopping }
        }
    }

    private mutating func feed(_ array: JSONTree) {
        lines.takeCutLines()
        for node in array.children(of: JSONTree.root) {
            // A line end can only be between the members. In a text, it would be a mistake.
            feed(array.bytes[array.range(of: node)].map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 } + [0x0A])
        }
    }

    private func noteUnfilled() async throws {
        guard counted.lines > 0, maker.settings.payload != nil, let campaign else { return }
        try await MisspeltPlaceholders.note(lines.unfilled, of: campaign, isFirst: isFirst, request.parts.queue)
    }

    /// The error with what was stored before.
    private func reported(_ error: any Error) -> any Error {
        if let error = error as? BatchInputError {
            let remedy = hasLostLineEnds ? Self.lineEndRemedy : nil
            return adding(to: .impossible(error.description, code: "invalid_lines", remedy: remedy))
        }
        guard let problem = APIProblem(ofLines: error) else { return error }
        return adding(to: problem)
    }

    private mutating func feed(_ bytes: [UInt8]) {
        body.bytes += bytes.count
        if !body.hasLineEnd { body.hasLineEnd = bytes.contains { $0 == 0x0A || $0 == 0x0D } }
        lines.feed(bytes)
    }

    // MARK: Nothing to send

    /// Whether the body is one long line, as `curl -d @FILE` makes of a file.
    private var hasLostLineEnds: Bool { body.bytes > 0 && !body.hasLineEnd }

    private static let lineEndRemedy =
        "Write each line with its line end. With curl, send the file with --data-binary @FILE: -d removes the line ends."

    private func requireLines() throws(APIProblem) {
        guard counted.lines == 0, create != nil || hasLostLineEnds else { return }
        throw .impossible(
            body.bytes == 0
                ? "The body is empty, so the campaign has no lines."
                : "The body has no lines for the campaign: only the first line of a CSV file, which names the columns.",
            code: "no_lines",
            remedy: hasLostLineEnds ? Self.lineEndRemedy : "Send the lines, or create a draft with a JSON body.")
    }

    var members: [String: PushJSONValue] {
        counted.members(of: campaign, unfilled: counted.lines == 0 ? [] : lines.unfilled)
    }

    /// Whether a campaign has the lines of this upload and no other ones.
    func isWhole(of campaign: QueueCampaign) -> Bool { counted.isWhole(of: campaign) }

    /// Whether this upload has the lines of the request whose idempotency key made a campaign that stays open. Other lines may have come
    /// behind those of the first one that was complete.
    func isSame(in campaign: QueueCampaign) async throws -> Bool {
        if let earlier = try await earlierLines(in: campaign) { return earlier == counted.lines }
        guard isWhole(of: campaign) else { return false }
        try await CampaignRecords.uploads.store(
            Array("\(counted.lines)".utf8), of: campaign, request.parts.queue)
        return true
    }

    /// How many lines a complete request with the same idempotency key has had; `nil` if there was none.
    private func earlierLines(in campaign: QueueCampaign) async throws -> Int? {
        let value = try await CampaignRecords.uploads.value(of: campaign, request.parts.queue)
        return value.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    /// A problem with what was stored. Without a campaign, that is nothing.
    func adding(to problem: APIProblem) -> APIProblem {
        guard let campaign else { return problem }
        var problem = problem
        problem.more.merge(members) { first, _ in first }
        problem.more["campaign"] = .string(JobAnswer.text(campaign.id))
        return problem
    }

    // MARK: Groups

    private mutating func store() async throws {
        let (turns, holder) = (request.parts.turns, request.holder)
        while true {
            // Few bytes can be much work: a long payload is rendered for each line.
            var group = try await turns.run(for: holder) { try nextGroup() }
            if group.isEmpty { return }
            try await store(&group)
        }
    }

    private mutating func nextGroup() throws -> [QueueCampaignLine] {
        var (group, users): ([QueueCampaignLine], Int) = ([], 0)
        while group.count < Self.linesAtOnce, users < EntryExpansion.slice, let line = try lines.next() {
            group.append(try maker.line(line))
            if group.last?.user != nil { users += 1 }
        }
        return group
    }

    /// Makes of the lines to users pushes to their devices. Returns the bytes that they hold.
    private func expand(_ group: inout [QueueCampaignLine]) async throws -> Int {
        let found = group.enumerated().compactMap { index, line in line.user.map { (index, line, $0) } }
        let entries = found.compactMap { _, line, user -> Entry? in
            guard case .job(let job) = line.content else { return nil }
            return Entry(app: app, job: job, user: user)
        }
        let (pushes, bytes) = try await request.expand(entries)
        for ((index, _, _), pushes) in zip(found, pushes) {
            switch pushes {
            case .failure(let problem):
                group[index].content = .refused(
                    QueueLineRefusal(
                        code: problem.code, detail: problem.detail, field: problem.field,
                        remedy: problem.remedy))
            case .success(let pushes):
                let jobs = pushes.map(\.job)
                group[index].content = jobs.first.map { .job($0) } ?? .refused(Self.noDevice)
                group[index].others = Array(jobs.dropFirst())
            }
        }
        return bytes
    }

    private static let noDevice = QueueLineRefusal(
        code: QueueCampaignLine.noDeviceCode, detail: "The user has no device for a push of this type.", field: "user")

    private mutating func store(_ group: inout [QueueCampaignLine]) async throws {
        // It may have been revoked since the upload began.
        try await request.checkKey()
        try await refuseGone(&group)
        var bytes = 0
        defer { try? request.memory.grow(by: -bytes) }
        if group.contains(where: { $0.user != nil }) {
            counted.hasUsers = true
            bytes = try await expand(&group)
        }
        let campaign = try await target()
        if isWhole, let earlier = try await earlierLines(in: campaign), counted.lines + group.count > earlier {
            throw Replay.conflict
        }
        if campaign.isOpen {
            let count = group.reduce(0) { $0 + 1 + $1.others.count }
            try await Intake.checkDepth(request.parts, count, of: app.name)
        }
        var answer = try await add(group, to: campaign)
        if isFull(answer), group.contains(where: \.isGone) {
            // These lines are right, and many of them must not end the upload.
            counted.addUnkept(group.filter(\.isGone))
            group.removeAll(where: \.isGone)
            answer = group.isEmpty ? .done([]) : try await add(group, to: campaign)
        }
        switch answer {
        case .unknownCampaign: throw CampaignRoutes.unknown
        case .different where isWhole: throw Replay.conflict
        case .different(let number):
            throw APIProblem.impossible(
                "The campaign already has a different line \(number). No line from here on was added.",
                code: "line_changed",
                remedy: "Give the number of the first new line as from=\(counted.nextLine(of: campaign)).")
        case .tooManyRefused(let limit): throw Self.tooManyRefused(limit)
        case .closed(let state):
            throw Self.closed(campaign, state, isWhole: isWhole, now: try await request.parts.queue.now())
        case .done(let results):
            let pushes = counted.add(results, of: group)
            request.parts.depth.added(pushes, to: app.name)
            request.parts.metrics.queued(pushes, app: app.name)
        }
        if counted.refused - counted.gone >= Self.enough, counted.held == 0, counted.repeated == 0 {
            throw APIProblem.impossible(
                "None of the first \(counted.refused) lines can be sent.", code: "all_lines_refused",
                remedy: "Correct the campaign or the lines. The refusals tell you what is wrong.")
        }
    }

    private mutating func target() async throws -> QueueCampaign {
        if let campaign { return campaign }
        guard let made = try await create?() else { throw CampaignRoutes.unknown }
        campaign = made
        return made
    }

    private func add(_ group: [QueueCampaignLine], to campaign: QueueCampaign) async throws -> QueueLinesAnswer {
        let began = ContinuousClock.now
        let answer = try await request.parts.queue.addLines(group, to: campaign.id, app: app.name)
        request.parts.metrics.record(.now - began, .store, app: app.name)
        return answer
    }

    /// Whether a campaign keeps no more refused lines. A repeated upload finds it closed, and without the lines that it did not keep.
    private func isFull(_ answer: QueueLinesAnswer) -> Bool {
        switch answer {
        case .tooManyRefused: true
        case .closed: isWhole
        case .done, .different, .unknownCampaign: false
        }
    }

    static func tooManyRefused(_ limit: QueueRefusalLimit) -> APIProblem {
        switch limit {
        case .ofCampaign:
            .impossible(
                """
                The campaign has too many refused lines. It keeps \(QueueCampaign.maximumRefused), or as many as it has other \
                lines. No line from here on was added.
                """, code: "too_many_refused",
                remedy: "Correct the lines. The campaign's report tells you what is wrong with each.")
        case .ofApp:
            .impossible(
                """
                The campaigns of the app that haven't ended have too many refused lines. Together, they keep \
                \(QueueCampaign.maximumRefusedOfApp), or as many as they have other lines. No line from here on was added.
                """, code: "too_many_refused",
                remedy: "Wait until one of them has ended, or cancel one that you don't need, for example a draft.")
        }
    }

    /// The answer to lines that a closed campaign does not have.
    ///
    /// A whole upload is repeated if its answer was lost. If the campaign was stopped in the meantime, it lacks lines for that
    /// reason. Otherwise, it was closed because it had all lines of another upload with the same key.
    static func closed(
        _ campaign: QueueCampaign, _ state: QueueCampaignState, isWhole: Bool, now: QueueTime
    ) -> APIProblem {
        let isCancelled = state == .cancelling || state == .cancelled
        let hasExpired = campaign.expires.map { $0 <= campaign.ended ?? now } ?? false
        if isWhole, !isCancelled, !hasExpired { return Replay.conflict }
        let why = hasExpired && !isCancelled ? "has expired" : "is \(state.name)"
        return .conflict(
            "The campaign accepts no more lines: it \(why).", code: "campaign_closed",
            remedy: isWhole
                ? "Create another campaign for them, with another idempotency key."
                : "Create another campaign for them, or start a campaign with open=true.")
    }

    private func refuseGone(_ group: inout [QueueCampaignLine]) async throws {
        guard app.gone == .refuse else { return }
        let tokens = group.flatMap(\.tokens)
        let gone = try await request.parts.queue.gone(among: tokens, app: app.name)
        let since = Dictionary(gone.map { ($0.token, $0.since) }) { max($0, $1) }
        for (index, line) in group.enumerated() {
            guard let token = line.tokens.first, let time = since[token], !line.isRegistered(after: time) else {
                continue
            }
            group[index].content = .refused(
                QueueLineRefusal(
                    code: QueueCampaignLine.goneCode,
                    detail: "Apple has reported that the device token has been gone since \(time.rfc3339).",
                    field: "token",
                    remedy: "Remove the line. If the token was registered again since, give \"registered_at\"."))
        }
    }
}
