extension Explanation {
    /// The four outcomes of a push.
    static let outcomes: [Explanation] = [
        Explanation(
            word: "accepted",
            kind: .outcome,
            title: "accepted: Apple took the push",
            meaning: """
                Status 200. Apple will try to deliver it; that says nothing of the phone. In the sandbox the answer \
                has an apns-unique-id, by which Apple's Push Notifications Console finds the push.
                """,
            again: "No need.",
            steps: ["Nothing on the phone? \"pushsend explain nothing-arrived\"."],
            page: "docs/outcomes-and-retries.md"
        ),
        Explanation(
            word: "rejected",
            kind: .outcome,
            title: "rejected: Apple refused the push, and said why",
            meaning: "Any status but 200. The word behind the status is Apple's reason.",
            fault: "As the reason says.",
            again: "As the reason says: after a correction, later, or never.",
            steps: ["\"pushsend explain REASON\", for example BadDeviceToken."],
            page: "docs/outcomes-and-retries.md"
        ),
        Explanation(
            word: "not-sent",
            kind: .outcome,
            title: "not sent: Apple has provably not processed the push",
            meaning: """
                It never left this machine, or the server said that it did not process it. The word behind it is the \
                cause, such as no_connection or deadline.
                """,
            fault: "The network or the server, mostly.",
            again: "Yes: it cannot double.",
            steps: ["Send it again, waiting longer each time. The exit code is 75, without a connection 69."],
            page: "docs/outcomes-and-retries.md"
        ),
        Explanation(
            word: "unknown",
            kind: .outcome,
            title: "unknown: the push was written, and no answer came",
            meaning: "Apple may have taken it. Nobody can tell from here.",
            fault: "The network or the server, mostly.",
            again: "Only if a second one does no harm.",
            steps: [
                "With a --collapse-id a second one replaces the first on the phone.",
                "The apns-id that is printed is the one that was sent: note it.",
            ],
            page: "docs/outcomes-and-retries.md"
        ),
    ]

    /// Other outcomes of a line of a campaign.
    static let ofLines: [Explanation] = [
        Explanation(
            word: "invalid",
            kind: .outcome,
            title: "invalid: a line of a campaign that cannot be sent as it is",
            meaning: "Its result says what is wrong with it. It was not sent; the lines around it were.",
            fault: "Whoever made the line, or the payload that it fills in.",
            again: "After a correction, as a campaign of its own with --out.",
            steps: ["--dry-run shows all such lines before anything is sent."],
            page: "docs/batch.md"
        ),
        Explanation(
            word: "duplicate",
            kind: .outcome,
            title: "duplicate: a line before it has the same device token",
            meaning: "It was not sent, because --skip-duplicates asks for each device once.",
            again: "No need.",
            page: "docs/batch.md"
        ),
        Explanation(
            word: "interrupted",
            kind: .outcome,
            title: "interrupted: an earlier run was killed while the line might have gone out",
            meaning: """
                The journal says that the line was about to be sent; its outcome is unknown. unknown.jsonl in the results \
                folder lists it with its apns-id.
                """,
            again: "Only if a second one does no harm: --at-least-once does so from the start.",
            steps: ["A smaller --window leaves fewer of them after the next kill."],
            page: "docs/batch.md"
        ),
    ]
}
