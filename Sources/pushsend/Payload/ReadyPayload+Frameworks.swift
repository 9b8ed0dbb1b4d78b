internal import PushJSON
import PushProvider

extension ReadyPayload {
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
