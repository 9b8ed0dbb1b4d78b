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
    private let campaign: QueueCampaign
    private let app: AppSettings
    private let settings: CampaignSettings
    private var lines: UploadedLines
    /// Whether the campaign is to have these lines and no other ones, because the request has an idempotency key.
    private let isWhole: Bool
    /// Whether the campaign is made with these lines, and is nothing without one.
    private let needsLines: Bool
    /// The number of lines that were read.
    private var count = 0
    private var doubles: DoubledTokens
    /// How many bytes the body had, and whether there was a line end among them.
    private var body = (bytes: 0, hasLineEnd: false)

    /// The number of lines that are on disk now.
    private(set) var held = 0
    /// The number of lines that were on disk before.
    private(set) var repeated = 0
    private(set) var refused = 0
    /// The first refused lines.
    private(set) var refusals: [PushJSONValue] = []
    private(set) var lastLine = 0

    /// The maximum number of lines that are stored at once.
    private static let groupSize = 500
    /// What an upload holds at most, in bytes: parts of the body that have arrived, and a group of lines.
    private static let heldBytes = 512 << 10
    /// The maximum number of refused lines in an answer. The report has all.
    private static let mostRefusals = 100
    /// The upload ends after this number of refused lines if no line can be sent: the campaign or the file is wrong.
    static let enough = 1000

    init(
        _ request: APIRequest, _ campaign: QueueCampaign, format: BatchFormat?, first: Int?, isWhole: Bool,
        needsLines: Bool
    ) async throws {
        guard let app = request.parts.apps[campaign.app] else {
            throw APIProblem.impossible(
                "The app of the campaign is not in the configuration.", code: "unknown_app",
                remedy: "Put it into the configuration again.")
        }
        guard let settings = CampaignSettings(encoded: campaign.settings) else {
            throw QueueError(.defect, "The settings of a campaign cannot be read.")
        }
        try request.memory.grow(by: Self.heldBytes)
        request.client?.gatherBody()
        (self.request, self.campaign, self.app, self.settings) = (request, campaign, app, settings)
        (self.isWhole, self.needsLines) = (isWhole, needsLines)
        doubles = DoubledTokens(request.memory)
        let now = try await request.parts.queue.now()
        lines = UploadedLines(
            format: format, try settings.defaults(for: app, areStored: true), first: first,
            secondsSince1970: Int(now.milliseconds / 1000))
    }

    /// Reads the whole body.
    ///
    /// - Throws: ``APIProblem`` that also states what was stored before, and from where to continue.
    mutating func run() async throws {
        do {
            for try await buffer in request.source.body {
                feed(Array(buffer.readableBytesView))
                try await store()
                if request.parts.answers.isOver { throw APIProblem.stopping }
            }
            lines.end()
            try await store()
            try requireLines()
        } catch {
            throw reported(error)
        }
    }

    /// Takes the pushes of an array, one line for each.
    mutating func run(_ tree: JSONTree) async throws {
        do {
            for node in tree.children(of: JSONTree.root) {
                // A line end can only be between the members. In a text, it would be a mistake.
                feed(tree.bytes[tree.range(of: node)].map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 } + [0x0A])
            }
            lines.end()
            try await store()
            try requireLines()
        } catch {
            throw reported(error)
        }
    }

    /// The error with what was stored before.
    private func reported(_ error: any Error) -> any Error {
        switch error {
        case let problem as APIProblem: adding(to: problem)
        case let error as QueueError: adding(to: APIProblem(error))
        case let error as BrokenBody: adding(to: APIProblem(error))
        case is CancellationError: adding(to: .stopping)
        case let error as BatchInputError:
            adding(
                to: .impossible(
                    error.description, code: "invalid_lines", remedy: hasLostLineEnds ? Self.lineEndRemedy : nil))
        default: error
        }
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

    /// Refuses a body that was meant to have lines.
    private func requireLines() throws(APIProblem) {
        guard count == 0, needsLines || hasLostLineEnds else { return }
        throw .impossible(
            body.bytes == 0
                ? "The body is empty, so the campaign has no lines."
                : "The body has no lines for the campaign: only the first line of a CSV file, which names the columns.",
            code: "no_lines",
            remedy: hasLostLineEnds ? Self.lineEndRemedy : "Send the lines, or create a draft with a JSON body.")
    }

    private var unfilled: [UnfilledPlaceholder] { count == 0 ? [] : lines.unfilled }

    /// The results of the lines.
    var members: [String: PushJSONValue] {
        [
            "accepted": .integer(held), "repeated": .integer(repeated), "refused": .integer(refused),
            "refusals": .array(refusals), "next_line": .integer(max(campaign.lastLine, lastLine) + 1),
            // Each of these placeholders sends its default to everybody.
            "unfilled": .array(unfilled.prefix(Self.mostRefusals).map { .string($0.description) }),
            "doubled": .integer(doubles.count), "doubled_lines": .array(doubles.lines.map { .integer($0) }),
        ]
    }

    /// Whether a campaign has the lines of this upload and no other ones. Each line of the upload is in the campaign.
    func isWhole(of campaign: QueueCampaign) -> Bool {
        campaign.lastLine == lastLine && campaign.counts.lines + campaign.counts.refused == count
    }

    private func adding(to problem: APIProblem) -> APIProblem {
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
        var group: [QueueCampaignLine] = []
        while group.count < Self.groupSize, let line = try lines.next() {
            group.append(try self.line(line))
        }
        return group
    }

    private mutating func store(_ group: inout [QueueCampaignLine]) async throws {
        // It may have been revoked since the upload began.
        try await request.checkKey()
        try await refuseGone(&group)
        if campaign.isOpen { try await Intake.checkDepth(request.parts, group.count, of: app.name) }
        let began = ContinuousClock.now
        let answer = try await request.parts.queue.addLines(group, to: campaign.id, app: app.name)
        request.parts.metrics.record(.now - began, .store, app: app.name)
        switch answer {
        case .unknownCampaign: throw CampaignRoutes.unknown
        case .different where isWhole: throw Replay.conflict
        case .different(let number):
            throw APIProblem.impossible(
                "The campaign has another line \(number) already. Nothing of the lines from here on was added.",
                code: "line_changed",
                remedy: "Give the number of the first new line as from=\(max(campaign.lastLine, lastLine) + 1).")
        case .tooManyRefused(let limit): throw Self.tooManyRefused(limit)
        case .closed(let state):
            throw Self.closed(campaign, state, isWhole: isWhole, now: try await request.parts.queue.now())
        case .done(let results): count(results, of: group)
        }
        if refused >= Self.enough, held == 0, repeated == 0 {
            throw APIProblem.impossible(
                "None of the first \(refused) lines can be sent.", code: "all_lines_refused",
                remedy: "Correct the campaign or the lines. The refusals say what is wrong.")
        }
    }

    /// The answer to lines of which too many are refused.
    static func tooManyRefused(_ limit: QueueRefusalLimit) -> APIProblem {
        switch limit {
        case .ofCampaign:
            .impossible(
                """
                The campaign has too many refused lines. It keeps \(QueueCampaign.mostRefused), or as many as it has other \
                lines. Nothing of the lines from here on was added.
                """, code: "too_many_refused",
                remedy: "Correct the lines. The report of the campaign says what is wrong with each.")
        case .ofApp:
            .impossible(
                """
                The campaigns of the app that have not ended have too many refused lines. Together, they keep \
                \(QueueCampaign.mostRefusedOfApp), or as many as they have other lines. Nothing of the lines from here on was \
                added.
                """, code: "too_many_refused",
                remedy: "Wait until one of them has ended, or cancel one that you do not need, for example a draft.")
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
        return APIProblem(
            status: .conflict, code: "campaign_closed", detail: "The campaign accepts no more lines: it \(why).",
            remedy: isWhole
                ? "Create another campaign for them, with another idempotency key."
                : "Create another campaign for them, or start a campaign with open=true.")
    }

    private mutating func count(_ results: [QueueLineResult], of group: [QueueCampaignLine]) {
        var added = 0
        count += group.count
        for (line, result) in zip(group, results) {
            lastLine = max(lastLine, line.number)
            if let token = line.token { doubles.note(token, line: line.number) }
            switch result {
            case .held: added += 1
            case .repeated: repeated += 1
            case .refused(let refusal):
                refused += 1
                if refusals.count < Self.mostRefusals {
                    refusals.append(CampaignValue.refused(refusal, line: line.number))
                }
            }
        }
        held += added
        request.parts.depth.added(added, to: app.name)
        request.parts.metrics.queued(added, app: app.name)
    }

    /// Refuses lines to device tokens that are gone, for apps with this setting.
    private func refuseGone(_ group: inout [QueueCampaignLine]) async throws {
        guard app.gone == .refuse else { return }
        let tokens = group.compactMap(\.token)
        let gone = try await request.parts.queue.gone(among: tokens, app: app.name)
        let since = Dictionary(gone.map { ($0.token, $0.since) }) { max($0, $1) }
        for (index, line) in group.enumerated() {
            guard let token = line.token, let time = since[token], !line.isRegistered(after: time) else { continue }
            group[index].content = .refused(
                QueueLineRefusal(
                    code: "token_gone",
                    detail: "Apple has reported that the device token has been gone since \(time.rfc3339).",
                    field: "token",
                    remedy: "Remove the line. If the token was registered again since, give \"registered_at\"."))
        }
    }

    // MARK: Lines

    /// The member of a line for a header field that breaks a rule. A path stays: `payload.aps.badge`, `vars.name`.
    private static func member(_ field: String) -> String {
        let members = [
            APNSHeader.topic: "topic", APNSHeader.pushType: "push_type", APNSHeader.priority: "priority",
            APNSHeader.collapseID: "collapse_id", APNSHeader.expiration: "expires",
        ]
        return members[field] ?? field
    }

    /// The length of the digest of a line. Nobody but the callers of one app could make two lines with the same one.
    private static let digestLength = 16

    private func line(_ line: UploadedLines.Line) throws -> QueueCampaignLine {
        guard let digest = Fingerprint.digest(of: line.text) else {
            throw QueueError(.defect, "SHA-256 is not available.")
        }
        var made = QueueCampaignLine(line.number, content(of: line))
        made.digest = Array(digest.prefix(Self.digestLength))
        made.replacesRefused = !isWhole
        return made
    }

    private func content(of line: UploadedLines.Line) -> QueueCampaignLine.Content {
        switch line.content {
        case .failure(let fault):
            let code = fault.field == APNSHeader.expiration ? "expires_too_early" : "invalid_line"
            let refusal = QueueLineRefusal(
                code: fault.rule == nil ? code : "payload_refused",
                detail: fault.detail + (fault.rule.map { " [\($0)]" } ?? ""), field: fault.field.map(Self.member),
                remedy: fault.remedy)
            return .refused(refusal)
        case .success(let push):
            let topic = push.notification.topic
            guard topic.isEmpty || app.allows(topic: topic) else {
                return .refused(
                    QueueLineRefusal(
                        code: "topic_not_allowed", detail: "The app may not use this topic.", field: "topic"))
            }
            return .job(job(push))
        }
    }

    private func job(_ push: UploadedLines.Push) -> NewQueueJob {
        let notification = push.notification
        var details = PushDetails()
        if notification.topic.isEmpty || notification.topic == app.topic {
            details.defaultTopic = request.parts.apps.defaultTopic(app) { notification.effectivePushType }
        } else {
            details.topic = notification.topic
        }
        (details.pushType, details.priority) = (notification.pushType, notification.priority)
        (details.collapseID, details.registeredAt) = (notification.collapseID, notification.registeredAt)
        details.reference = push.reference
        details.sender = request.key?.number
        let isOwn = push.hasOwnPayload || push.variables == nil
        var job = NewQueueJob(
            to: .device(notification.deviceToken.hex),
            payload: isOwn ? notification.payload.bytes : settings.payload ?? notification.payload.bytes)
        job.variables = push.variables
        (job.priority, job.policy) = (settings.queuePriority, app.policy)
        switch notification.expiration?.form {
        case nil: job.expiry = app.expiry.map { .after($0) } ?? .never
        case .apnsDefault: job.expiry = .never
        case .doNotStore:
            details.storesAtApple = false
            job.expiry = app.expiry.map { .after($0) } ?? .never
        case .until(let seconds):
            job.expiry = .at(QueueTime(milliseconds: Int64(clamping: seconds).multipliedClamping(by: 1000)))
        case .after(let seconds): job.expiry = .after(.seconds(seconds))
        }
        job.push = details.encoded
        return job
    }
}

extension QueueCampaignLine {
    /// The device token of the line; `nil` if it was refused.
    fileprivate var token: String? {
        if case .job(let job) = content, case .device(let token) = job.target { token } else { nil }
    }

    /// Whether the app registered the device token after a time.
    fileprivate func isRegistered(after time: QueueTime) -> Bool {
        guard case .job(let job) = content, let date = PushDetails(encoded: job.push)?.registeredAt else {
            return false
        }
        return QueueTime(date) > time
    }
}

extension Int64 {
    fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? (self < 0 ? .min : .max) : product
    }
}
