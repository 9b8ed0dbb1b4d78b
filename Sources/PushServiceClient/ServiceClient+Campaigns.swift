internal import AsyncHTTPClient
public import NIOCore
internal import NIOFoundationCompat
internal import NIOHTTP1
internal import PushJSON
public import PushPlatform
import PushTime

/// Campaigns: many lines that are sent at their own rate.
extension ServiceClient {
    /// Makes a campaign without lines.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - idempotencyKey: A text that makes a repetition harmless; `nil` for none.
    /// - Returns: The campaign, a draft.
    /// - Throws: ``PushServiceError``, and errors of the connection.
    public func makeCampaign(
        _ campaign: NewPushServiceCampaign, idempotencyKey: String? = nil
    ) async throws -> PushServiceCampaign {
        try decode(await request(.POST, "/v1/campaigns", .bytes(campaign.json), idempotencyKey: idempotencyKey))
    }

    /// Takes lines into a campaign. They are read and sent piece by piece, so there may be any number.
    ///
    /// If the call fails, ``PushServiceCampaign/nextLine`` of ``campaign(_:)`` is the line from which to continue. Sending the same
    /// lines again doubles nothing.
    ///
    /// - Parameters:
    ///   - lines: JSON lines as `pushsend batch` reads them, in pieces of any size.
    ///   - campaign: The campaign.
    ///   - first: The number of the first line; `nil` for 1.
    ///   - limit: How long all of it may take.
    /// - Returns: The campaign, with the results of the lines.
    /// - Throws: ``PushServiceError``, and errors of the connection.
    @discardableResult
    public func addLines<Lines: AsyncSequence & Sendable>(
        _ lines: Lines, to campaign: UUID, from first: Int? = nil, within limit: Duration = .seconds(3600)
    ) async throws -> PushServiceCampaign where Lines.Element == ByteBuffer {
        let from = first.map { "?from=\($0)" } ?? ""
        return try decode(
            await request(
                .POST, "\(path(campaign))/lines\(from)", .stream(lines, length: .unknown), type: "application/x-ndjson",
                extra: limit))
    }

    /// Starts a campaign. By default it takes no more lines then.
    ///
    /// - Throws: ``PushServiceError`` with status 409 if it is paused, is being cancelled or has ended, and errors of the connection.
    @discardableResult
    public func startCampaign(_ campaign: UUID, staysOpen: Bool = false) async throws -> PushServiceCampaign {
        try await change(campaign, "start?open=\(staysOpen)")
    }

    /// Closes the campaign: it accepts no more lines, and ends after the last one.
    ///
    /// - Throws: ``PushServiceError``, and errors of the connection.
    @discardableResult
    public func closeCampaign(_ campaign: UUID) async throws -> PushServiceCampaign {
        try await change(campaign, "close")
    }

    /// Pauses the campaign. Pushes in flight are completed.
    ///
    /// - Throws: ``PushServiceError`` with status 409 if it was not started, is being cancelled or has ended, and errors of the connection.
    @discardableResult
    public func pauseCampaign(_ campaign: UUID) async throws -> PushServiceCampaign {
        try await change(campaign, "pause")
    }

    /// Resumes a paused campaign.
    ///
    /// - Throws: ``PushServiceError`` with status 409 if it was not started, is being cancelled or has ended, and errors of the connection.
    @discardableResult
    public func resumeCampaign(_ campaign: UUID) async throws -> PushServiceCampaign {
        try await change(campaign, "resume")
    }

    /// Ends all lines that were not started.
    ///
    /// - Throws: ``PushServiceError`` with status 409 if it is finished, and errors of the connection.
    @discardableResult
    public func cancelCampaign(_ campaign: UUID) async throws -> PushServiceCampaign {
        try await change(campaign, "cancel")
    }

    /// Changes the rate, in lines a second; `nil` for no limit.
    ///
    /// - Throws: ``PushServiceError``, and errors of the connection.
    @discardableResult
    public func setRate(_ rate: Double?, ofCampaign campaign: UUID) async throws -> PushServiceCampaign {
        let value: PushJSONValue = ["rate": rate.map(PushJSONValue.number) ?? .null]
        return try decode(await request(.PATCH, path(campaign), .bytes(value.encoded)))
    }

    /// A campaign with its progress; `nil` if the service has none with this id.
    ///
    /// - Throws: ``PushServiceError``, and errors of the connection.
    public func campaign(_ campaign: UUID) async throws -> PushServiceCampaign? {
        do {
            return try decode(await request(.GET, path(campaign)))
        } catch let error as PushServiceError where error.status == 404 {
            return nil
        }
    }

    /// The results of the lines of a campaign, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - line: `after` of the last line of the part before, or its number if it has none; 0 for the first part.
    ///   - limit: The maximum number of lines, at most 10 000.
    ///   - onlyFailures: Whether to leave out lines that were accepted, or have no outcome yet.
    /// - Returns: The lines; none at the end.
    /// - Throws: ``PushServiceError``, and errors of the connection.
    public func report(
        ofCampaign campaign: UUID, after line: Int = 0, limit: Int = 1000, onlyFailures: Bool = false
    ) async throws -> [PushServiceCampaignLine] {
        let only = onlyFailures ? "&only=failures" : ""
        let answer = try await request(
            .GET, "\(path(campaign))/report?after=\(line)&limit=\(min(limit, 10_000))\(only)")
        return try answer.body.readableBytesView.split(separator: 0x0A).map {
            try decode(Answer(status: 200, body: ByteBuffer(bytes: $0)))
        }
    }

    private func path(_ campaign: UUID) -> String { "/v1/campaigns/\(campaign.uuidString.lowercased())" }

    private func change(_ campaign: UUID, _ step: String) async throws -> PushServiceCampaign {
        try decode(await request(.POST, "\(path(campaign))/\(step)", .bytes(Array("{}".utf8))))
    }
}

extension NewPushServiceCampaign {
    var json: [UInt8] {
        var members: [String: PushJSONValue] = ["name": .string(name)]
        members["app"] = app.map(PushJSONValue.string)
        members["rate"] = rate.map(PushJSONValue.number)
        members["starts_at"] = startsAt.map { .string($0.rfc3339) }
        members["expires_at"] = expiresAt.map { .string($0.rfc3339) }
        members["collapse_id"] = collapseID.map(PushJSONValue.string)
        let encoded = PushJSONValue.object(members).encoded
        // The payload is sent byte for byte.
        guard let payload else { return encoded }
        return encoded.dropLast() + Array(",\"payload\":".utf8) + Array(payload.utf8) + [UInt8(ascii: "}")]
    }
}
