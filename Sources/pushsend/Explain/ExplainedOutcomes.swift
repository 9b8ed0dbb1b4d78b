extension Explanation {
    /// The four ways in which a push can end.
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
}
