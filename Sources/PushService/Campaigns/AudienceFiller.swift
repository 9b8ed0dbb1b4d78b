import APNSVocabulary
import Logging
import PushCampaign
import PushDelivery
import PushHTTP
import PushJSON
import PushPlatform
import PushProvider
import PushQueue

/// Adds the devices of audiences to running campaigns, a little ahead of their rate.
///
/// The number of a line is the id of the device. So the greatest number that a campaign has is the position to continue from, and after a
/// kill, or with several workers, no device is added twice.
struct AudienceFiller {
    let parts: ServiceParts
    /// The app whose campaigns are filled; `nil` for all.
    let app: String?
    /// Campaigns whose table of devices cannot be asked, with the reason in the log.
    private var failing: [UUID: String] = [:]
    private var withoutAudience: Set<UUID> = []
    /// Whether no campaign needs it, as long as no app has a table of devices.
    private var isIdle = false

    static let maximumLinesAhead = 100_000
    private static let pageSize = 1000
    private static let pace = Duration.milliseconds(500)

    init(_ parts: ServiceParts, app: String? = nil) {
        (self.parts, self.app) = (parts, app)
    }

    mutating func run() async {
        while !Task.isCancelled {
            if await !step() { try? await Task.sleep(for: Self.pace) }
        }
    }

    /// Adds a page to each campaign that has room. Returns whether one of them may have more.
    mutating func step() async -> Bool {
        // Most services have no audience, and do not read their campaigns for it. An app may have lost its table.
        let hasTable = parts.apps.settings().values.contains { $0.recipients != nil }
        guard hasTable || !isIdle else { return false }
        guard let campaigns = try? await parts.queue.activeCampaigns(), let now = try? await parts.queue.now() else {
            return false
        }
        var (hasMore, failed): (Bool, [UUID: String]) = (false, [:])
        for campaign in campaigns where campaign.state == .running && campaign.isOpen {
            guard campaign.starts.map({ $0 <= now }) ?? true, campaign.counts.held < Self.maximumLinesAhead,
                !withoutAudience.contains(campaign.id), app ?? campaign.app == campaign.app
            else { continue }
            do {
                guard let full = try await parts.queue.campaign(campaign.id, app: campaign.app),
                    let settings = CampaignSettings(encoded: full.settings), let audience = settings.audience
                else {
                    withoutAudience.insert(campaign.id)
                    continue
                }
                if try await fill(full, settings, audience, now) { hasMore = true }
                if failing[campaign.id] != nil {
                    log(.notice, campaign, "the audience of a campaign can be read again")
                }
            } catch let mistake as Mistake {
                await stop(campaign, mistake.text)
            } catch {
                failed[campaign.id] = "\((error as? APIProblem)?.detail ?? "\(error)")"
                if failing[campaign.id] != failed[campaign.id] {
                    log(
                        .error, campaign, "the audience of a campaign can't be read; the service retries",
                        "\(error)")
                }
            }
        }
        failing = failed
        withoutAudience.formIntersection(campaigns.map(\.id))
        let withoutAudience = withoutAudience
        isIdle =
            !hasTable && campaigns.allSatisfy { withoutAudience.contains($0.id) || $0.state == .running && !$0.isOpen }
        return hasMore
    }

    /// What is wrong with an audience, so that its campaign cannot continue.
    private struct Mistake: Error {
        var text: String
    }

    private func fill(
        _ campaign: QueueCampaign, _ settings: CampaignSettings, _ audience: String, _ now: QueueTime
    ) async throws -> Bool {
        guard let app = parts.apps[campaign.app], let recipients = app.recipients else {
            throw Mistake(text: "The app no longer has \"recipients\" in the configuration.")
        }
        let position = Int64(campaign.lastLine)
        let devices: [AudienceDevice]
        do throws(QueueError) {
            devices = try await recipients.page(of: audience, after: position, limit: Self.pageSize)
        } catch {
            guard error.code == .damaged || error.code == .invalid else { throw error }
            throw Mistake(text: error.description)
        }
        guard !devices.isEmpty else {
            _ = try await parts.queue.changeCampaign(campaign.id, app: campaign.app, .close)
            return false
        }
        try Self.check(devices, after: position)
        try await Intake.checkDepth(parts, devices.count, of: app.name)
        let lines = try Self.lines(devices, settings, app, now, parts)
        switch try await parts.queue.addLines(lines, to: campaign.id, app: campaign.app) {
        case .done(let results):
            let added = results.count { if case .held = $0 { true } else { false } }
            parts.depth.added(added, to: app.name)
            parts.metrics.queued(added, app: app.name)
            return true
        case .tooManyRefused(let limit): throw Mistake(text: LineUpload.tooManyRefused(limit).detail)
        // It was changed in the meantime.
        case .closed, .different, .unknownCampaign: return false
        }
    }

    /// Refuses rows that would leave out a device, or send to one twice.
    private static func check(_ devices: [AudienceDevice], after position: Int64) throws(Mistake) {
        var last = position
        for device in devices {
            guard let id = device.id else { throw Mistake(text: "The query returned a row whose id is NULL.") }
            guard id > last else {
                throw Mistake(
                    text: """
                        The query returned the id \(id) after \(last). It must return ids above $1, each once, in increasing order: \
                        WHERE id > $1 ORDER BY id LIMIT $2.
                        """)
            }
            guard id <= QueueCampaignLine.greatestNumber else {
                throw Mistake(
                    text: "The query returned the id \(id). Ids must not be above \(QueueCampaignLine.greatestNumber).")
            }
            if let token = device.token, (try? DeviceToken(pasted: token)) == nil {
                throw Mistake(text: "The row with the id \(id) contains something that isn't a device token.")
            }
            last = id
        }
    }

    /// Read and checked like those of an upload.
    private static func lines(
        _ devices: [AudienceDevice], _ settings: CampaignSettings, _ app: AppSettings, _ now: QueueTime,
        _ parts: ServiceParts
    ) throws -> [QueueCampaignLine] {
        let maker = CampaignLineMaker(
            app: app, settings: settings, sender: nil, defaultTopic: parts.apps.defaultTopic, isWhole: false)
        var reader = UploadedLines(
            format: .jsonLines, try settings.defaults(for: app, areStored: true), first: nil,
            secondsSince1970: now.wholeSeconds, defaultTopic: { parts.apps.defaultTopic(app, $0) })
        reader.takeCutLines()
        for device in devices {
            guard let token = device.token else { continue }
            let line = PushJSONValue.members([
                ("token", .string(token)), ("registered_at", device.registered.map(JobAnswer.time)),
            ])
            reader.feed(line.encoded + [0x0A])
        }
        reader.end()
        var lines: [QueueCampaignLine] = []
        for device in devices {
            guard device.token != nil else {
                lines.append(QueueCampaignLine(Int(device.id ?? 0), .refused(withoutToken)))
                continue
            }
            guard var read = try reader.next() else { break }
            read.number = Int(device.id ?? 0)
            var line = try maker.line(read)
            // The token of a device may have changed since another worker added it.
            line.digest = []
            lines.append(line)
        }
        return lines
    }

    /// One device without a token stops no campaign: its line says so, with the id of the device.
    private static let withoutToken = QueueLineRefusal(
        code: "no_token", detail: "The query of the audience returned NULL as the device token.", field: "token",
        remedy: "Leave such rows out: token IS NOT NULL.")

    // MARK: Mistakes

    private func stop(_ campaign: QueueCampaign, _ text: String) async {
        log(.error, campaign, "a campaign was paused: its audience is wrong", text)
        try? await CampaignRecords.mistakes.store(Array(text.utf8), of: campaign, parts.queue)
        _ = try? await parts.queue.changeCampaign(campaign.id, app: campaign.app, .pause)
    }

    private func log(
        _ level: Logger.Level, _ campaign: QueueCampaign, _ event: Logger.Message, _ reason: String? = nil
    ) {
        var metadata: Logger.Metadata = ["app": "\(campaign.app)", "campaign": "\(JobAnswer.text(campaign.id))"]
        metadata["reason"] = reason.map { "\($0)" }
        parts.logger.log(level: level, event, metadata: metadata)
    }

    /// Why a campaign was stopped; `nil` if it was not.
    static func mistake(of campaign: QueueCampaign, _ queue: any QueueBackend) async throws -> String? {
        guard campaign.state == .paused else { return nil }
        return try await CampaignRecords.mistakes.value(of: campaign, queue).map { String(decoding: $0, as: UTF8.self) }
    }
}
