import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// Prints the outcome of a push: a line on standard output, and advice on standard error.
struct SendReport: Sendable {
    var json: Bool
    /// Whether there is one device. With several devices, each line begins with the device token.
    var isOne: Bool
    /// Whether to explain a rejection in full on a terminal. Used for one push, not for several.
    var explainsAll: Bool
    var host: String
    /// Whether `--mock` is given. The mock's own key is then used.
    var usesMock = false
    /// The file of `--cacert`.
    var authorities: String?
    /// Apple's environment that the push was sent to, for a command that tries both.
    var environment: String?
    /// The header with the id: `apns-request-id` for broadcasts and channels.
    var idHeader = APNSHeader.id

    func print(_ outcome: PushOutcome, of notification: PushNotification) -> ExitStatus {
        // A closed pipe does not change the outcome, and other pushes are still in flight: ignore it.
        if json {
            var line = JSONLine()
            line["token"] = .string(notification.deviceToken.hex)
            line["environment"] = environment.map(PushJSONValue.string)
            add(outcome, to: &line)
            _ = Output.offer(line.text)
        } else {
            let device = isOne ? environment.map { "\($0): " } ?? "" : "\(notification.deviceToken.shortened)  "
            let hasReader = Output.offer(painted: device + text(outcome, colours: Output.resultsHaveColours))
            if hasReader { explain(outcome, topic: notification.effectiveTopic) }
        }
        return status(of: outcome)
    }

    // MARK: For people

    /// The outcome with its details, in colour if requested.
    func text(_ outcome: PushOutcome, colours: Bool) -> String {
        let (colour, label): (Colour, String) =
            switch outcome {
            case .accepted: (.green, "accepted")
            case .rejected: (.red, "rejected")
            case .notSent: (.yellow, "not sent")
            case .unknown: (.magenta, "unknown")
            case .invalid: (.red, "invalid")
            }
        return colour.paint(label, colours) + PeerText.printableLines(details(outcome))
    }

    private func details(_ outcome: PushOutcome) -> String {
        switch outcome {
        case .accepted(let acceptance):
            let unique = acceptance.uniqueID.map { "  apns-unique-id \($0.printable)" } ?? ""
            return "\(id(acceptance.apnsID))\(unique)  (\(milliseconds(acceptance.trace)) ms)"
        case .rejected(let rejection):
            let reason = rejection.reason.map { " \($0.rawValue.printable)" } ?? ""
            return "  \(rejection.status)\(reason)\(id(rejection.apnsID))  (\(milliseconds(rejection.trace)) ms)"
        case .notSent(let notSent):
            return "  \(notSent.cause)"
        case .unknown(let unknown):
            return "  \(unknown.cause)\(id(unknown.apnsID))"
        case .invalid: return ""
        }
    }

    /// The id with its header. Some servers send none.
    private func id(_ id: String) -> String {
        id.isEmpty ? "" : "  \(idHeader) \(id.printable)"
    }

    /// Prints the explanation of an outcome on standard error.
    func explain(_ outcome: PushOutcome, topic: String) {
        switch outcome {
        case .accepted: break
        case .rejected(let rejection):
            if let explanation = explanation(rejection) {
                Output.note(text(explanation, topic: topic, further: deadSince(rejection)))
            } else if !rejection.body.isEmpty {
                // The line breaks of a page in HTML, from a proxy or another server, are spaces here.
                let text = String(decoding: rejection.body, as: UTF8.self).split(whereSeparator: \.isWhitespace)
                    .joined(separator: " ")
                Output.note("The answer was: \(PeerText.printable(text, atMost: 500))")
            }
        case .notSent(let notSent): Output.note("It wasn't sent: \(detail(notSent))")
        case .unknown(let unknown):
            Output.note("It may or may not have been accepted: \(unknown)")
        case .invalid: Output.note("\(outcome)")
        }
    }

    private func explanation(_ rejection: PushOutcome.Rejection) -> RejectionReason.Explanation? {
        idHeader == APNSHeader.requestID ? rejection.reason?.explanationAboutChannels : rejection.explanation
    }

    private func detail(_ notSent: PushOutcome.NotSent) -> String {
        if notSent.isForLackOfALPN { return "\(notSent) Use --no-alpn." }
        guard notSent.isForUntrustedAuthority else { return notSent.description }
        guard let authorities else { return "\(notSent) Use --cacert." }
        return "\(notSent) The --cacert file \(authorities.printable) doesn't contain this authority."
    }

    /// The explanation: in full on a terminal, like `pushsend explain`; one line in a file or with several devices.
    private func text(_ explanation: RejectionReason.Explanation, topic: String, further: String?) -> String {
        let cause = ProbableCause.sentences(explanation.reason, topic: topic, host: host, usesMock: usesMock)
        guard explainsAll, Output.notesGoToTerminal else {
            let advice = cause.map { "Probably: \($0)" } ?? explanation.advice
            return [explanation.meaning, advice, further].compactMap(\.self).joined(separator: " ")
        }
        var whole = Explanation(explanation)
        whole.probably = cause
        let lines = further.map { [""] + TerminalLines.wrapped($0) } ?? []
        return "\n" + ([whole.body] + lines).joined(separator: "\n")
    }

    /// A sentence about the timestamp of a 410. Whether the device token is still valid depends on when the app registered it.
    private func deadSince(_ rejection: PushOutcome.Rejection) -> String? {
        guard rejection.status == 410 else { return nil }
        guard let timestamp = rejection.timestampMilliseconds else {
            return "The answer has no timestamp, so it's not certain that the device token is inactive."
        }
        let time = InspectedTime.text(Int(timestamp / 1000))
        return "Inactive since \(time)."
    }

    private func milliseconds(_ trace: PushOutcome.Trace) -> Int64 {
        let (seconds, attoseconds) = (trace.queued + trace.inFlight).components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    // MARK: For programs

    func add(_ outcome: PushOutcome, to line: inout JSONLine) {
        let id = idHeader.replacing("-", with: "_")
        switch outcome {
        case .accepted(let acceptance):
            line["outcome"] = "accepted"
            line["status"] = 200
            line[id] = acceptance.apnsID.isEmpty ? nil : .string(acceptance.apnsID)
            line["apns_unique_id"] = acceptance.uniqueID.map(PushJSONValue.string)
            add(acceptance.trace, to: &line)
        case .rejected(let rejection):
            line["outcome"] = "rejected"
            line["status"] = .integer(rejection.status)
            line["reason"] = rejection.reason.map { .string($0.rawValue) }
            line["timestamp"] = rejection.timestampMilliseconds.map { .integer(Int($0)) }
            line[id] = rejection.apnsID.isEmpty ? nil : .string(rejection.apnsID)
            line["final"] = .bool(rejection.isFinal)
            line["advice"] = explanation(rejection).map { .string($0.advice) }
            add(rejection.trace, to: &line)
        case .notSent(let notSent):
            line["outcome"] = "not_sent"
            line["cause"] = .string(notSent.cause.description)
            line["phase"] = .string(notSent.phase.description)
            line["detail"] = .string(detail(notSent))
            add(notSent.trace, to: &line)
        case .unknown(let unknown):
            line["outcome"] = "unknown"
            line["cause"] = .string(unknown.cause.description)
            line["phase"] = .string(unknown.phase.description)
            line["detail"] = .string(unknown.description)
            line[id] = unknown.apnsID.isEmpty ? nil : .string(unknown.apnsID)
            add(unknown.trace, to: &line)
        case .invalid:
            line["outcome"] = "invalid"
            line["detail"] = .string("\(outcome)")
        }
    }

    private func add(_ trace: PushOutcome.Trace, to line: inout JSONLine) {
        line["attempts"] = .integer(trace.attempts)
        line["ms"] = .integer(Int(milliseconds(trace)))
    }

    // MARK: For scripts

    func status(of outcome: PushOutcome) -> ExitStatus {
        switch outcome {
        case .accepted: return .success
        case .rejected(let rejection):
            return rejection.status == 403 ? .credentials : .rejected
        case .unknown: return .unknown
        case .invalid: return .invalidInput
        case .notSent(let notSent):
            if notSent.cause == .credentials { return .credentials }
            // The device shows a newer push instead, so nothing is left to do.
            if notSent.cause == .superseded { return .success }
            // It was not sent because it would be rejected like the ones before it.
            if notSent.cause == .mismatch || notSent.cause == .topicRefused { return .rejected }
            let connecting: [PushOutcome.Phase] = [.dns, .tcp, .proxy, .tls, .settings]
            return notSent.cause == .noConnection || connecting.contains(notSent.phase) ? .cannotConnect : .tryAgain
        }
    }
}

/// Counts the outcomes of all pushes of a command.
struct SendTally: Sendable {
    /// The kinds of outcomes, in the order of the summary.
    private enum Kind: String, CaseIterable {
        case accepted
        case rejected
        /// Also a push that could not be attempted.
        case notSent = "not sent"
        /// A newer push has replaced it before it could be sent again. This is no error.
        case superseded
        case unknown
    }

    private(set) var worst = ExitStatus.success
    private var counts: [Kind: Int] = [:]

    var hasAcceptance: Bool { counts[.accepted] != nil }

    var count: Int { counts.values.reduce(0, +) }

    mutating func add(_ outcome: PushOutcome, _ status: ExitStatus) {
        let kind: Kind =
            switch outcome {
            case .accepted: .accepted
            case .rejected: .rejected
            case .notSent(let push) where push.cause == .superseded: .superseded
            case .notSent, .invalid: .notSent
            case .unknown: .unknown
            }
        counts[kind, default: 0] += 1
        worst = max(worst, status)
    }

    /// `3 pushes: 2 accepted, 1 rejected.`
    var summary: String {
        let parts = Kind.allCases.compactMap { kind in counts[kind].map { "\($0) \(kind.rawValue)" } }
        let pushes = counted(count, "push", "pushes")
        return parts.isEmpty ? "Nothing was sent." : "\(pushes): \(parts.joined(separator: ", "))."
    }
}
