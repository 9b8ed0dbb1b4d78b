extension Explanation {
    /// The causes of "not sent" and "unknown".
    static let causes: [Explanation] = [
        Explanation(
            word: "no_connection",
            kind: .outcome,
            title: "no_connection: not sent, because no connection came about",
            meaning: "The word behind it says how far it came: dns, tcp, proxy, tls or settings.",
            fault: "The network, or what stands between: a firewall, a proxy, a wrong clock.",
            again: "Yes: it cannot double.",
            steps: ["The sentence below the outcome says what happened.", "Apple is reached on port 443 or 2197."],
            page: "docs/networks.md"
        ),
        Explanation(
            word: "connection_lost",
            kind: .outcome,
            title: "connection_lost: the connection ended before the answer came",
            meaning: """
                Not sent when the push had not been written yet; unknown when it had, because Apple may have taken it \
                before the connection ended.
                """,
            fault: "The network or the server, mostly.",
            again: "Not sent: yes. Unknown: only if a second one does no harm.",
            page: "docs/outcomes-and-retries.md"
        ),
        Explanation(
            word: "deadline",
            kind: .outcome,
            title: "deadline: the time for the push was over",
            meaning: """
                Every push has a deadline, and everything is in it: queue, connection, answer. Not sent when it was \
                still waiting; unknown when it was written and no answer came.
                """,
            fault: "The network or the server; or more was handed in than goes out in that time.",
            again: "Not sent: yes. Unknown: only if a second one does no harm.",
            steps: ["A longer --timeout.", "What it was waiting for stands behind the word."],
            page: "docs/outcomes-and-retries.md"
        ),
        Explanation(
            word: "expired",
            kind: .outcome,
            title: "expired: not sent, because its own expiration had passed",
            meaning: "Apple would have thrown it away. It was taken out of the queue instead.",
            fault: "A short --expires, or a long queue.",
            again: "With another expiration.",
            page: "docs/outcomes-and-retries.md"
        ),
        Explanation(
            word: "refused",
            kind: .outcome,
            title: "refused: not sent, the server said that it did not process it",
            meaning: "It closed the connection, or the stream, and left the push out.",
            fault: "The server. That is how it says goodbye.",
            again: "Yes: it cannot double. It was tried until the deadline.",
            page: "docs/outcomes-and-retries.md"
        ),
        Explanation(
            word: "stream_reset",
            kind: .outcome,
            title: "stream_reset: unknown, the server broke off the stream of the push",
            meaning: "Nothing says whether it had taken the push before.",
            fault: "The server.",
            again: "Only if a second one does no harm.",
            page: "docs/outcomes-and-retries.md"
        ),
        Explanation(
            word: "cancelled",
            kind: .outcome,
            title: "cancelled: the sender was stopped before the answer came",
            meaning: """
                Ctrl-C, or the caller cancelled its task. Not sent when the push had not been written yet; unknown when it had, \
                because Apple may have accepted it.
                """,
            fault: "The person or the program that stopped it.",
            again:
                "Not sent: yes. Unknown: only if a second one does no harm. A campaign lists these in unknown.jsonl.",
            page: "docs/outcomes-and-retries.md"
        ),
        Explanation(
            word: "malformed_answer",
            kind: .outcome,
            title: "malformed_answer: unknown, what came was no answer",
            meaning: "Something answered that does not speak as APNs does, or was cut off. It may have taken the push.",
            fault: "The server, or something between.",
            again: "Only if a second one does no harm.",
            steps: ["--trace-frames shows what came."],
            page: "docs/outcomes-and-retries.md"
        ),
        Explanation(
            word: "topic_refused",
            kind: .outcome,
            title: "topic_refused: not sent, because APNs refuses its topic",
            meaning: """
                APNs has refused twenty pushes of this topic in a row. Nothing more is sent to this topic for a \
                minute; other topics go on.
                """,
            fault: "The sender's: the topic is not the app's bundle id, or this key or certificate is not for it.",
            again: "After the topic or the credentials were corrected.",
            page: "docs/outcomes-and-retries.md"
        ),
        Explanation(
            word: "outage",
            kind: .outcome,
            title: "outage: the campaign was stopped, because the server takes nothing from anybody",
            meaning: """
                The campaign paused, tried one line now and then, and stopped after --outage-wait. Its lines are kept.
                """,
            fault: "The server or the network.",
            again: "Yes: the same command goes on where it stopped.",
            steps: ["A longer --outage-wait waits longer."],
            page: "docs/batch.md"
        ),
    ]
}
