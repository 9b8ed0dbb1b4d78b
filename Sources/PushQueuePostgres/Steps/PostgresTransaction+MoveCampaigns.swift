import PushPlatform
import PushQueue

/// Stores campaigns from a file. Until all of its lines are there, a campaign has the negative number of its app, so it cannot be read,
/// changed or released. Data that is stored by the number of the campaign, such as the outcome of a line, already counts.
extension PostgresTransaction {
    func insert(_ campaigns: [MovedCampaign], at time: MovedTime) throws(QueueError) -> Int {
        let apps = try apps(campaigns.map(\.campaign.app))
        for (moved, app) in zip(campaigns, apps) { try insert(moved, app: app, at: time) }
        return campaigns.count
    }

    private func insert(_ moved: MovedCampaign, app: Int32, at time: MovedTime) throws(QueueError) {
        let campaign = moved.campaign
        func value(_ time: QueueTime?) -> PostgresValue { time.map { .int8($0.milliseconds) } ?? .null }
        let row = try query(
            .insertMovedCampaign,
            [
                .uuid(campaign.id), .int4(-app), .text(campaign.name.withoutZeroBytes),
                .int2(Int16(campaign.state.rawValue)), .bool(campaign.isOpen), .bytes(campaign.settings),
                campaign.rate.map { .int4(Int32($0.perThousandSeconds)) } ?? .null, value(campaign.starts),
                value(campaign.expires), .int8(campaign.created.milliseconds), value(campaign.started),
                .int8(moved.bucket.level), .int8(translated(moved.bucket.time, at: time)),
                moved.key.map { .text($0.withoutZeroBytes) } ?? .null,
            ]
        ).first.map { Int32(truncatingIfNeeded: $0.integer(0)) }
        guard let row else { throw .movedBefore("The campaign \(campaign.id.uuidString.lowercased())") }
        let counts = campaign.counts
        let window = moved.window
        let begin = window.begin.milliseconds == 0 ? 0 : translated(window.begin, at: time)
        let numbers = [
            campaign.lastLine, counts.lines, counts.refused, counts.held, counts.waiting, counts.inFlight,
            counts.accepted, counts.rejected, counts.unknown, counts.notSent,
        ]
        perform(
            .insertCounts,
            [.int4(row), .int2(slot)] + numbers.map { .int8(Int64($0)) }
                + [.int8(begin), .int8(window.count), .int8(window.last)])
    }

    // MARK: What belongs to a campaign
    // If a campaign was erased in this queue during the move, its data stays in the file.

    func insert(_ lines: [MovedLine]) throws(QueueError) -> Int {
        let lines = try withRows(lines, \.campaign)
        var copy = PostgresCopy(columns: Self.lineColumns.count, rows: lines.count)
        for (line, row) in lines {
            copy.beginRow()
            copy.add(.int4(row))
            copy.add(.int8(line.number))
            copy.add(.uuid(line.job))
            copy.add(line.digest.isEmpty ? .null : .bytes(line.digest))
        }
        try self.copy(PostgresCopy.statement("campaign_line", Self.lineColumns), copy)
        return lines.count
    }

    func insertFailures(_ lines: [MovedLine]) throws(QueueError) -> Int {
        let lines = try withRows(lines, \.campaign)
        var copy = PostgresCopy(columns: 2, rows: lines.count)
        for (line, row) in lines {
            copy.beginRow()
            copy.add(.int4(row))
            copy.add(.int8(line.number))
        }
        try self.copy(PostgresCopy.statement("campaign_failure", ["campaign", "line"]), copy)
        return lines.count
    }

    func insert(_ refusals: [(line: MovedLine, refusal: QueueLineRefusal)]) throws(QueueError) -> Int {
        let refusals = try withRows(refusals, \.line.campaign)
        let columns = ["campaign", "line", "code", "detail", "place", "remedy", "digest"]
        var copy = PostgresCopy(columns: columns.count, rows: refusals.count)
        for ((line, refusal), row) in refusals {
            copy.beginRow()
            copy.add(.int4(row))
            copy.add(.int8(line.number))
            copy.add(.text(refusal.code.withoutZeroBytes))
            copy.add(.text(refusal.detail.withoutZeroBytes))
            copy.add(refusal.field.map { .text($0.withoutZeroBytes) } ?? .null)
            copy.add(refusal.remedy.map { .text($0.withoutZeroBytes) } ?? .null)
            copy.add(line.digest.isEmpty ? .null : .bytes(line.digest))
        }
        try self.copy(PostgresCopy.statement("campaign_refusal", columns), copy)
        return refusals.count
    }

    func insert(_ outcomes: [MovedOutcome]) throws(QueueError) -> Int {
        let outcomes = try withRows(outcomes, \.campaign)
        for (outcome, row) in outcomes {
            perform(
                .insertOutcome,
                [
                    .int4(row), .int2(slot), .int2(outcome.kind), .text(outcome.reason.withoutZeroBytes),
                    .int8(outcome.count),
                ])
        }
        return outcomes.count
    }

    private func withRows<Item>(
        _ items: [Item], _ campaign: (Item) -> UUID
    ) throws(QueueError) -> [(Item, Int32)] {
        let rows = try campaignRows(items.map(campaign))
        return items.compactMap { item in rows[campaign(item)].map { (item, $0) } }
    }

    // MARK: Showing

    /// Shows campaigns: from now on, their lines are released. A key that a campaign of this queue has stays with that one.
    func show(_ campaigns: [MovedCampaign]) throws(QueueError) -> Int {
        guard !campaigns.isEmpty else { return 0 }
        perform(
            .showCampaigns,
            [.uuids(campaigns.map(\.campaign.id)), .optionalTexts(campaigns.map { $0.key?.withoutZeroBytes })])
        let rows = try campaignRows(campaigns.map(\.campaign.id))
        // A campaign ends now if its last line got its outcome during the move.
        for row in rows.values { changes.campaign(row) { _ in } }
        changes.hasCampaigns = true
        return rows.count
    }

    /// The rows of campaigns, without those that were erased here.
    func campaignRows(_ ids: [UUID]) throws(QueueError) -> [UUID: Int32] {
        guard !ids.isEmpty else { return [:] }
        let found = try query(.campaignRows, [.uuids(Array(Set(ids)))]).map {
            ($0.uuid(0), Int32(truncatingIfNeeded: $0.integer(1)))
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }
}

extension QueueError {
    /// A part of the file is in the target, but this move did not copy it.
    static func movedBefore(_ what: String) -> QueueError {
        QueueError(
            .invalid,
            """
            \(what) is in the target already, but this move did not copy it: an earlier copy of the file was moved there. Moving the \
            file again would send its jobs twice. Nothing of this step was stored. Find the file that was moved, or give another \
            target.
            """)
    }
}

extension PostgresText {
    fileprivate static let insertMovedCampaign = PostgresText(
        """
        INSERT INTO campaign (uuid, app, name, state, is_open, settings, rate, starts, expires, created, started, level,
            level_at, key)
        SELECT $1::uuid, $2::int4, $3::text, $4::int2, $5::bool, $6::bytea, $7::int4, $8::int8, $9::int8, $10::int8,
            $11::int8, $12::int8, $13::int8, CASE WHEN NOT EXISTS (
                SELECT FROM campaign AS other WHERE other.app = $2::int4 AND other.key = $14::text) THEN $14::text END
        ON CONFLICT (uuid) DO NOTHING RETURNING id
        """)
    fileprivate static let insertCounts = PostgresText(
        """
        INSERT INTO campaign_count VALUES ($1::int4, $2::int2, $3::int8, $4::int8, $5::int8, $6::int8, $7::int8, $8::int8,
            $9::int8, $10::int8, $11::int8, $12::int8, $13::int8, $14::int8, $15::int8)
        """)
    fileprivate static let insertOutcome = PostgresText(
        """
        INSERT INTO campaign_outcome AS o VALUES ($1::int4, $2::int2, $3::int2, $4::text, $5::int8)
        ON CONFLICT (campaign, slot, kind, reason) DO UPDATE SET count = o.count + excluded.count
        """)
    /// Locks the campaigns. A purge of the app waits until their rows are stored.
    fileprivate static let campaignRows = PostgresText(
        """
        SELECT locked.uuid, locked.id FROM (
            SELECT found.id FROM unnest($1::uuid[]) AS asked (uuid) CROSS JOIN LATERAL (
                SELECT id FROM campaign WHERE campaign.uuid = asked.uuid OFFSET 0) AS found
            ORDER BY found.id OFFSET 0
        ) AS found CROSS JOIN LATERAL (
            SELECT uuid, id FROM campaign WHERE campaign.id = found.id OFFSET 0 FOR KEY SHARE
        ) AS locked
        """)
    fileprivate static let showCampaigns = PostgresText(
        """
        UPDATE campaign SET app = -campaign.app, key = CASE WHEN EXISTS (
            SELECT FROM campaign AS other WHERE other.app = -campaign.app AND other.key = moved.key) THEN NULL
            ELSE moved.key END
        FROM unnest($1::uuid[], $2::text[]) AS moved (uuid, key)
        WHERE campaign.uuid = moved.uuid AND campaign.app < 0
        """)
}
