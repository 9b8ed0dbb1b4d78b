package import PushPlatform

package struct NewQueueCampaign: Sendable, Hashable {
    package var app: String
    package var name: String
    /// What the service keeps with the campaign, at most ``longestSettings`` bytes.
    package var settings: [UInt8]
    /// `nil` for as many lines as can be sent.
    package var rate: QueueCampaignRate?
    /// When the first line is released at the earliest; `nil` for as soon as the campaign is started.
    package var starts: QueueTime?
    /// When lines end that were not sent; `nil` for never.
    package var expires: QueueTime?
    /// An app cannot have two campaigns with the same key; `nil` for no key. The key is kept as long as the campaign.
    package var key: String?

    /// Creates a campaign that can start at once, without a limit of its rate.
    ///
    /// - Parameters:
    ///   - name: The name, for people.
    ///   - app: The app to which the campaign belongs.
    ///   - settings: What the service keeps with the campaign.
    package init(_ name: String, app: String, settings: [UInt8] = []) {
        (self.name, self.app, self.settings) = (name, app, settings)
    }

    /// The maximum size of ``settings``, in bytes.
    package static let longestSettings = 256 << 10
}

package enum QueueCampaignCreation: Sendable, Hashable {
    case created(QueueCampaign)
    /// An earlier campaign, this one, has the same key and the same content.
    case existing(QueueCampaign)
    /// An earlier campaign has the same key, and another content.
    case conflict
    /// A campaign with the same key is being created.
    case inProgress
    /// The app has ``QueueCampaign/maximumUnfinished`` campaigns that have not ended. Nothing was created.
    case tooMany
}

package struct QueueCampaignLine: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// ``NewQueueJob/due`` and ``NewQueueJob/dedupeKey`` are not used.
        case job(NewQueueJob)
        case refused(QueueLineRefusal)
    }

    /// From 1. A campaign has each number once.
    package var number: Int
    package var content: Content
    /// Further pushes of the line: to a user's other devices. They are added with the first one, or not at all, and have its times.
    package var others: [NewQueueJob] = []
    /// A digest of what the caller gave as the line, at most 64 bytes; empty to compare lines only by their numbers.
    package var digest: [UInt8] = []
    /// Whether the line may take the place of a refused line with another digest. Otherwise it is a different line.
    package var replacesRefused = true

    package init(_ number: Int, _ content: Content) {
        (self.number, self.content) = (number, content)
    }

    package static let greatestNumber = 1 << 40
    /// The distance between the numbers under which the pushes of one line are kept. So further pushes come behind all lines.
    private static let distance = 2 * greatestNumber
    /// The greatest number under which a push of a line is kept, with ``RecipientDevice/maximum`` devices.
    package static let greatestKept = RecipientDevice.maximum * distance

    /// The number under which a push of a line is kept; the first one has the index 0, and the number of the line.
    package static func kept(_ number: Int, _ index: Int) -> Int { number + index * distance }

    package static func line(ofKept number: Int) -> Int { number % distance }
}

package struct QueueLineRefusal: Sendable, Hashable {
    package var code: String
    package var detail: String
    /// The member or the header that is wrong, for example `token` or `payload.aps.badge`; `nil` if that is not known.
    package var field: String?
    /// How to correct it; `nil` if the detail says so.
    package var remedy: String?

    package init(code: String, detail: String, field: String? = nil, remedy: String? = nil) {
        (self.code, self.detail, self.field, self.remedy) = (code, detail, field, remedy)
    }
}

package enum QueueLineResult: Sendable, Hashable {
    /// As the job with this id, durably.
    case held(UUID)
    case repeated
    /// It was refused, which is noted durably. A later line of the same number takes its place.
    case refused(QueueLineRefusal)
}

package enum QueueLinesAnswer: Sendable, Hashable {
    /// In the order of the lines.
    case done([QueueLineResult])
    /// The campaign takes no more lines, and does not have all of these. Nothing was added.
    case closed(QueueCampaignState)
    /// The campaign has another line of this number. Nothing was added.
    case different(Int)
    /// With these lines, more refused lines would be kept than a limit allows. Nothing was added.
    case tooManyRefused(QueueRefusalLimit)
    case unknownCampaign
}

package enum QueueRefusalLimit: Sendable, Hashable {
    /// Of one campaign: ``QueueCampaign/maximumRefused``.
    case ofCampaign
    /// Of all campaigns of an app that have not ended: ``QueueCampaign/maximumRefusedOfApp``.
    case ofApp
}

package enum QueueCampaignChange: Sendable, Hashable {
    /// Starts a draft. With `closes`, it takes no more lines.
    case start(closes: Bool)
    /// Closes the campaign: it accepts no more lines, and ends after the last one.
    case close
    /// Releases no more lines. Waiting lines are held again; lines that a worker has are sent.
    case pause
    case resume
    /// Ends all lines that were not started, in slices by ``QueueBackend/advanceCampaign(_:app:ahead:limit:)``.
    case cancel
    /// `nil` for no limit.
    case rate(QueueCampaignRate?)
}

/// A repeated change also succeeds.
package enum QueueCampaignAnswer: Sendable, Hashable {
    case done(QueueCampaign)
    case impossible(QueueCampaignState)
    case unknownCampaign
}

package struct QueueCampaignLineQuery: Sendable, Hashable {
    package var campaign: UUID
    package var app: String
    /// Whether only lines are listed that were refused, or that ended and were not accepted.
    package var onlyFailures: Bool
    /// The number after which the list begins.
    package var after: Int
    /// The maximum number of lines, at most 1000.
    package var limit: Int

    package init(_ campaign: UUID, app: String, onlyFailures: Bool = false, after: Int = 0, limit: Int = 100) {
        (self.campaign, self.app, self.onlyFailures) = (campaign, app, onlyFailures)
        (self.after, self.limit) = (after, limit)
    }
}

package struct QueueCampaignLineRecord: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case job(QueueJobRecord)
        /// The job of the line is no longer kept.
        case dropped
        case refused(QueueLineRefusal)
    }

    package var number: Int
    package var content: Content

    package init(_ number: Int, _ content: Content) {
        (self.number, self.content) = (number, content)
    }
}
