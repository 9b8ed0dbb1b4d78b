import PushCommandLine
import PushProvider

extension Explanation {
    /// The HTTP statuses of APNs.
    static let statuses: [Explanation] = [
        make(
            200, "Apple accepted the push", fault: nil, again: "No need.",
            """
            APNs accepted the push and will try to deliver it. This doesn't mean that the phone received it: it may be \
            off, notifications may be off for the app, or the app may be open.
            """,
            ["If nothing arrives on the phone: \"pushsend explain nothing-arrived\"."]
        ),
        make(
            400, "the request has a mistake",
            fault: "The sender: a header, the token, the topic or the payload.", again: "After a correction.",
            "APNs read the request and rejected it.", []
        ),
        make(
            403, "the credentials were refused",
            fault: "The sender: key, certificate, team, environment, or the clock of the machine.",
            again: "After you correct the credentials. Until then every push fails.",
            "The provider token or the certificate doesn't allow this. After many such requests, Apple ends the connection.",
            ["Check key file, key id, team id and environment.", "The exit code is \(ExitStatus.credentials.code)."],
            page: "docs/credentials.md"
        ),
        make(
            404, "the path is wrong", fault: "The sender's program, or something between it and Apple.",
            again: "After a correction.",
            "The path is /3/device/ and the device token.",
            ["With --endpoint: check that the server is an APNs."]
        ),
        make(
            405, "the method is wrong", fault: "The sender's program, or something between it and Apple.",
            again: "After a correction.", "Pushes are sent with POST.",
            ["With --endpoint: check that the server is an APNs."]
        ),
        make(
            410, "the device token is inactive",
            fault: "None: the app was removed, or has a new token. Stop sending to this token.",
            again: "No.",
            """
            The token is no longer active for this topic. The answer contains the time since when, in milliseconds since \
            1970. Apple delays this answer on purpose: for a while after an app was removed, the answer is still 200.
            """,
            [
                """
                Compare that time with the time when the app last registered the token. If Apple's time is later, delete the \
                token. Otherwise the app has registered it since then: keep it.
                """,
                "In the library: PushNotification(registeredAt:), and tokenStatus of the rejection.",
            ],
            page: "docs/device-tokens.md"
        ),
        make(
            413, "the payload is too large", fault: "The sender.", again: "With a smaller payload.",
            "A payload is at most 4096 bytes, for a call (voip) 5120.",
            ["--dry-run counts the bytes.", "Send less. The app or its service extension can download the rest."]
        ),
        make(
            429, "too many requests", fault: "The sender.", again: "Later; wait longer each time.",
            """
            Too many pushes were sent to one device, or the provider token was changed more often than every 20 minutes. \
            Apple publishes no number for the first.
            """,
            ["Don't create a new provider token; it makes this worse."], page: "docs/credentials.md"
        ),
        make(
            500, "internal error at Apple", fault: "Apple.", again: "Later; wait longer each time.",
            "APNs couldn't handle the request. Some senders saw it on connections that were idle for a long time.",
            ["Resend it later. For statuses of 500 and more, Apple recommends 15 minutes."]
        ),
        make(
            503, "APNs is stopping or not available", fault: "Apple.", again: "Later, on a new connection.",
            "This server is stopping, or the service is overloaded.",
            ["Resend it later. For statuses of 500 and more, Apple recommends 15 minutes."]
        ),
    ]

    private static func make(
        _ status: Int, _ short: String, fault: String?, again: String, _ meaning: String, _ steps: [String],
        page: String? = nil
    ) -> Explanation {
        let reasons = RejectionReason.known.filter { $0.explanation?.status == status }.map(\.rawValue)
        let list = "The reason tells you more: \(reasons.joined(separator: ", "))."
        return Explanation(
            term: String(status),
            kind: .status,
            title: "\(status): \(short)",
            meaning: meaning,
            fault: fault,
            again: again,
            steps: steps + (reasons.isEmpty ? [] : [list]),
            status: status,
            page: page
        )
    }
}
