import PushProvider

extension Explanation {
    /// The HTTP statuses of APNs.
    static let statuses: [Explanation] = [
        make(
            200, "Apple took the push", fault: nil, again: "No need.",
            """
            APNs accepted the push and will try to deliver it. That says nothing of the phone: it may be off, the app \
            may not be allowed to notify, or be open.
            """,
            ["Nothing on the phone? \"pushsend explain nothing-arrived\"."]
        ),
        make(
            400, "something in the request is wrong",
            fault: "The sender's: a header, the token, the topic or the payload.", again: "After it was corrected.",
            "APNs read the request and refused it.", []
        ),
        make(
            403, "the credentials were refused",
            fault: "The sender's: key, certificate, team, environment, or the clock of the machine.",
            again: "After the credentials were corrected. Until then every push fails.",
            "The provider token or the certificate does not allow this. After many of them Apple ends the connection.",
            ["Check key file, key id, team id and environment.", "The exit code is 77."],
            page: "docs/credentials.md"
        ),
        make(
            404, "the path is wrong", fault: "The sender's program, or something between it and Apple.",
            again: "After it was corrected.",
            "A push goes to /3/device/ followed by the device token.",
            ["With --endpoint: is that server an APNs?"]
        ),
        make(
            405, "the method is wrong", fault: "The sender's program, or something between it and Apple.",
            again: "After it was corrected.", "Pushes are sent with POST.", ["With --endpoint: is that server an APNs?"]
        ),
        make(
            410, "the device token is dead",
            fault: "Nobody's: the app was removed, or has a new token. It is the sender's when it goes on sending.",
            again: "No.",
            """
            The token is no longer active for this topic. The answer has the time since when, in milliseconds since \
            1970. Apple delays this answer on purpose: for a while after an app was removed it is still 200.
            """,
            [
                """
                Compare that time with when the app last registered the token. Only when Apple's is later is the token \
                gone: delete it. Otherwise the app has registered it since: keep it.
                """,
                "In the library: PushNotification(registeredAt:), and isTokenGone of the rejection.",
            ],
            page: "docs/device-tokens.md"
        ),
        make(
            413, "the payload is too large", fault: "The sender's.", again: "After it was made smaller.",
            "A payload has at most 4096 bytes, of a call (voip) 5120.",
            ["--dry-run counts the bytes.", "Send less: the app or its service extension can fetch the rest."]
        ),
        make(
            429, "too many", fault: "The sender's.", again: "Later, waiting longer each time.",
            """
            Too many pushes went to one device, or the provider token was changed more often than every 20 minutes. \
            For the first Apple publishes no number.
            """,
            ["Do not sign a new provider token: that makes it worse."], page: "docs/provider-tokens.md"
        ),
        make(
            500, "something failed at Apple", fault: "Apple's.", again: "Later, waiting longer each time.",
            "APNs could not handle the request. Some senders saw it on connections that had been idle for long.",
            ["Send again later. Apple speaks of 15 minutes for statuses of 500 and more."]
        ),
        make(
            503, "APNs is stopping or not available", fault: "Apple's.", again: "Later, on a new connection.",
            "This server is being stopped, or the service is overloaded.",
            ["Send again later. Apple speaks of 15 minutes for statuses of 500 and more."]
        ),
    ]

    private static func make(
        _ status: Int, _ short: String, fault: String?, again: String, _ meaning: String, _ steps: [String],
        page: String? = nil
    ) -> Explanation {
        let words = RejectionReason.known.filter { $0.explanation?.status == status }.map(\.rawValue)
        let list = "The reason beside it says more: \(words.joined(separator: ", "))."
        return Explanation(
            word: String(status),
            kind: .status,
            title: "\(status): \(short)",
            meaning: meaning,
            fault: fault,
            again: again,
            steps: steps + (words.isEmpty ? [] : [list]),
            status: status,
            page: page
        )
    }
}
