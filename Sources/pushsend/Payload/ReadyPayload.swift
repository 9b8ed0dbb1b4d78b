internal import APNSVocabulary
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// A ready payload: `--template` sends it, and it is in Examples/payloads.
struct ReadyPayload: Sendable {
    /// Which payload flags can be used with the template.
    enum AllowedFlags {
        /// All of them.
        case alert
        /// Text and sound of the alert.
        case liveActivityAlert
        /// The app's own keys.
        case custom
        case nothing
    }

    let name: String
    let about: String
    let allowedFlags: AllowedFlags
    var aliases: [String] = []
    /// The collapse id, if none is given.
    var collapseID: String?
    /// Builds the payload. Its times are computed from the given time.
    let payload: @Sendable (Date) throws(PushPayloadError) -> PushPayload

    init(
        _ name: String, _ about: String, allowedFlags: AllowedFlags = .custom, aliases: [String] = [],
        collapseID: String? = nil,
        payload: @escaping @Sendable (Date) throws(PushPayloadError) -> PushPayload
    ) {
        self.name = name
        self.about = about
        self.allowedFlags = allowedFlags
        self.aliases = aliases
        self.collapseID = collapseID
        self.payload = payload
    }
}

extension ReadyPayload {
    static let all: [ReadyPayload] = alerts + loudAndQuiet + silent + liveActivities + ofFrameworks + ofOthers

    /// - Throws: ``CommandFailure`` with the nearest names and the whole list, if there is no such name.
    static func named(_ name: String) throws -> ReadyPayload {
        let folded = name.lowercased()
        if let template = all.first(where: { $0.name == folded || $0.aliases.contains(folded) }) { return template }
        let near = nearest(to: folded).map { "did you mean \($0)? " } ?? ""
        let shown = String(name.prefix(40)).printable
        throw CommandFailure.usage(
            "There is no template \"\(shown)\": \(near)The templates are \(all.map(\.name).joined(separator: ", ")).")
    }

    private static func nearest(to name: String) -> String? {
        let best = NearestName.nearest(to: name, of: all.flatMap { [$0.name] + $0.aliases })
        return best.flatMap { best in all.first { $0.name == best || $0.aliases.contains(best) }?.name }
    }

    /// The output of `--template list`.
    static var list: String {
        let width = all.map(\.name.count).max() ?? 0
        let lines = all.map { template in "\(template.name.padded(to: width))  \(template.about)" }
        return lines.joined(separator: "\n")
    }

    /// Notifications for a framework, not for the screen.
    static let ofFrameworks: [ReadyPayload] = [
        ReadyPayload("location", "asks for the person's location; needs an entitlement") { _ throws(PushPayloadError) in
            try .location(custom: ["query": "where-are-you", "asked-by": "nora"])
        },
        ReadyPayload("widget", "tells the app's widgets to reload", allowedFlags: .nothing, aliases: ["widgets"]) {
            _ throws(PushPayloadError) in .widgets
        },
        ReadyPayload("controls", "tells the app's controls to reload", allowedFlags: .nothing, aliases: ["control"]) {
            _ throws(PushPayloadError) in .controls
        },
        ReadyPayload("voip", "an incoming call", aliases: ["call"]) { _ throws(PushPayloadError) in
            try .voip(
                custom: [
                    "call-uuid": "6b0a5f5c-0e0b-4f5d-9a53-2f110c8f6a5d", "caller": "Nora", "handle": "+15550100",
                    "video": false,
                ])
        },
        ReadyPayload("complication", "new figures for a watch face") { _ throws(PushPayloadError) in
            try .complication(custom: ["steps": 7421, "goal": 10_000])
        },
        ReadyPayload("pushtotalk", "a person starts to speak", aliases: ["ptt"]) { _ throws(PushPayloadError) in
            try .pushToTalk(custom: ["active-speaker": "Nora"])
        },
        ReadyPayload("pushtotalk-service-update", "news about a Push to Talk channel, without a speaker") {
            _ throws(PushPayloadError) in
            try .pushToTalk(isServiceUpdate: true, custom: ["channel-name": "Crew 7"])
        },
        ReadyPayload(
            "accessory", "an accessory's answer to a notification that was forwarded to it", allowedFlags: .nothing,
            aliases: ["accessories"]
        ) { _ throws(PushPayloadError) in
            .accessory(
                encryptedData: "c2VhbGVkIGJ5IHRoZSBhY2Nlc3Nvcnk=",
                sessionIdentifier: "2C1B0A9F-8E2B-4A61-9C1D-4B7E9F0A3D2C", keyID: "a2V5LTE=", messageIndex: 42)
        },
    ]

    /// Notifications with their own format.
    static let ofOthers: [ReadyPayload] = [
        ReadyPayload("fileprovider", "something has changed in a File Provider's container", allowedFlags: .nothing) {
            _ throws(PushPayloadError) in
            .fileProvider(
                containerIdentifier: "NSFileProviderWorkingSetContainerItemIdentifier", domain: "documents")
        },
        ReadyPayload("mdm", "asks a managed device to contact its server", allowedFlags: .nothing) {
            _ throws(PushPayloadError) in
            .mdm(pushMagic: "8E2B9A61-5C1D-4B7E-9F0A-3D2C1B0A9F8E")
        },
        ReadyPayload("wallet", "a pass or an order has changed", allowedFlags: .nothing, aliases: ["pass", "order"]) {
            _ throws(PushPayloadError) in .wallet
        },
        ReadyPayload("safari", "a website push of old Safari", allowedFlags: .nothing) { _ throws(PushPayloadError) in
            .safari(
                title: "Boarding", body: "Flight 714 boards at gate 8.", action: "View",
                urlArguments: ["boarding", "714"])
        },
    ]
}
