extension Explanation {
    static let causes: [Explanation] = [
        outcome(
            "no_connection", "not sent, because no connection could be opened",
            "The word after it tells you which step failed: dns, tcp, proxy, tls or settings.",
            fault: "The network: a firewall, a proxy, or a wrong clock.", again: "Yes: it can't cause a duplicate.",
            steps: [
                "The sentence below the outcome tells you what happened.",
                "\"pushsend doctor\" shows which step fails, and what to do.", "Apple is reached on port 443 or 2197.",
            ],
            page: "docs/diagnose.md"),
        outcome(
            "connection_lost", "the connection ended before the answer arrived",
            """
            Not sent if the push wasn't written yet. Unknown if it was, because Apple may have accepted it before the \
            connection ended.
            """,
            fault: "Usually the network or the server.",
            again: "Not sent: yes. Unknown: only if a duplicate does no harm."),
        outcome(
            "deadline", "the timeout of the push passed",
            """
            The deadline of a push includes everything: queue, connection, answer. Not sent if it was still waiting. \
            Unknown if it was written, but no answer arrived.
            """,
            fault: "The network or the server, or more pushes than can be sent in that time.",
            again: "Not sent: yes. Unknown: only if a duplicate does no harm.",
            steps: ["Use a longer --timeout.", "The word after it tells you what the push was waiting for."]),
        outcome(
            "expired", "not sent, because its expiration passed",
            "Apple would discard it, so it was removed from the queue.", fault: "A short --expires, or a long queue.",
            again: "With another expiration."),
        outcome(
            "refused", "not sent, because the server reported that it didn't process it",
            "The server closed the connection or the stream without processing the push.",
            fault: "The server. It does this when it stops.",
            again: "Yes: it can't cause a duplicate. It was retried until the deadline."),
        outcome(
            "stream_reset", "unknown, because the server reset the stream of the push",
            "It is unknown whether the server accepted the push before that.", fault: "The server.",
            again: "Only if a duplicate does no harm."),
        outcome(
            "cancelled", "the sender was stopped before the answer arrived",
            """
            Ctrl-C, or the caller cancelled its task. Not sent if the push wasn't written yet. Unknown if it was, \
            because Apple may have accepted it.
            """,
            fault: "Ctrl-C, or the program that stopped it.",
            again: "Not sent: yes. Unknown: only if a duplicate does no harm. A campaign lists these in unknown.jsonl."),
        outcome(
            "malformed_answer", "unknown, because the answer was malformed",
            "The answer isn't like those of APNs, or it is incomplete. The push may have been accepted.",
            fault: "The server, or a proxy in between.", again: "Only if a duplicate does no harm.",
            steps: ["--trace-frames shows what arrived."]),
        outcome(
            "topic_refused", "not sent, because APNs refuses the topic",
            """
            APNs refused twenty pushes to this topic in a row. Nothing is sent to this topic for a minute. Other \
            topics aren't affected.
            """,
            fault: "The sender: the topic isn't the app's bundle id, or this key or certificate isn't for it.",
            again: "After you correct the topic or the credentials."),
        outcome(
            "superseded", "not sent, because a newer push with the same collapse id was started",
            """
            The push had to be retried, for example after a 503. In the meantime, a newer push to the same device, \
            with the same topic, push type and collapse id, was started. The older one would have replaced it on the \
            phone.
            """,
            fault: "Nobody: the newer push counts, which is what a collapse id is for. It has an outcome of its own.",
            again: "No: it would replace the newer push.",
            steps: [
                """
                If both pushes should have been shown, give them different collapse ids, or none: a collapse id says that \
                only the last one counts.
                """
            ]),
        outcome(
            "recipients", "the push to a user waits, because the table of devices can't be queried",
            """
            pushserve sends a push to a user only after it has looked up in your table of devices who owns the device token. \
            A push that waited for this until it expired has this word as its detail.
            """,
            fault: "Your database: it is down or slow, or the statement in the configuration is wrong.",
            again: "Yes: it wasn't sent. Give it a longer ttl.",
            steps: ["\"recipients\" in GET /v1/status and the service's log tell you why."],
            page: "docs/your-database.md#push-to-users"),
        outcome(
            "reassigned", "not sent, because the device token no longer belongs to the user",
            "Somebody else has signed in on the phone, or the user has signed out, while the push waited.",
            fault: "Nobody: what is meant for one person isn't shown to another.",
            again: "Only as a new push to the user.", page: "docs/your-database.md#push-to-users"),
        outcome(
            "no_device", "not sent, because the user has no device for the push type",
            "The statement \"of_user\" returned no device of the kind that the push type needs.",
            fault: "Nobody, if the user has no such device; otherwise the table or the statement.",
            again: "After the user has registered a device.", page: "docs/your-database.md#push-to-users"),
        outcome(
            "outage", "the campaign stopped, because the server accepts nothing",
            """
            The campaign paused, tried single lines, and stopped after --outage-wait. It still has all its lines.
            """,
            fault: "The server or the network.", again: "Yes: the same command continues where it stopped.",
            steps: ["To wait longer, give --outage-wait."], page: "docs/batch.md"),
    ]
}
