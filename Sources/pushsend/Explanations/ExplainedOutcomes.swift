import PushCommandLine

extension Explanation {
    static let outcomes: [Explanation] = [
        outcome(
            "accepted", "Apple accepted the push",
            """
            Status 200. Apple will try to deliver it. This doesn't mean that the phone received it. In the sandbox, the \
            answer has an apns-unique-id; use it to find the push in Apple's Push Notifications Console.
            """,
            again: "No need.", steps: ["If nothing arrives on the phone: \"pushsend explain nothing-arrived\"."]),
        outcome(
            "rejected", "Apple rejected the push with a reason",
            "Any status other than 200. The word after the status is Apple's reason.", fault: "See the reason.",
            again: "See the reason: after a correction, later, or never.",
            steps: ["\"pushsend explain REASON\", for example BadDeviceToken."]),
        outcome(
            "not-sent", "Apple certainly didn't process the push",
            """
            It never left this machine, or the server reported that it didn't process it. The word after it is the \
            cause, such as no_connection or deadline.
            """, fault: "Usually the network or the server.", again: "Yes: it can't cause a duplicate.",
            steps: [
                """
                Resend it again, and wait longer each time. The exit code is \(ExitStatus.tryAgain.code), or \
                \(ExitStatus.cannotConnect.code) without a connection.
                """
            ]),
        outcome(
            "unknown", "the push was written, but no answer arrived",
            "Apple may have accepted it. The sender can't find out.", fault: "Usually the network or the server.",
            again: "Only if a duplicate does no harm.",
            steps: [
                "With --collapse-id, a second push replaces the first on the phone.",
                "The printed apns-id is the one that was sent. Note it.",
            ]),
    ]

    /// Other outcomes of a line of a campaign.
    static let ofLines: [Explanation] = [
        outcome(
            "invalid", "a line of a campaign that can't be sent",
            "Its result tells you what is wrong. Only this line wasn't sent.",
            fault: "The line, or the payload template.",
            again: "After a correction, as a separate campaign with --out.",
            steps: ["--dry-run shows all such lines before anything is sent."], page: "docs/batch.md"),
        outcome(
            "duplicate", "an earlier line has the same device token", "It wasn't sent, because of --skip-duplicates.",
            again: "No need.", page: "docs/batch.md"),
        outcome(
            "interrupted", "an earlier run was killed while it may have sent the line",
            """
            According to the journal, the line was about to be sent. Its outcome is unknown. unknown.jsonl in the results \
            folder lists it with its apns-id.
            """,
            again: "Only if a duplicate does no harm. --at-least-once does this from the start.",
            steps: ["With a smaller --window, fewer lines are interrupted by a kill."], page: "docs/batch.md"),
    ]
}
