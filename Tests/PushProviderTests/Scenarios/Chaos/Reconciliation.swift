import MockAPNs
import TestSupport

@testable import PushProvider

/// Compares what every caller received with what the mock has recorded, one notification after the other.
struct Reconciliation {
    private let tale: ChaosTale
    private let record: ChaosRecord
    /// Which connection of the mock is which of a client's, where an answer has shown it.
    private var pairs: [ClientConnectionNumber: Int] = [:]
    private(set) var complaints: [String] = []
    /// What clients had to send that were shut down with little time.
    private let hurried: Set<String>

    /// A connection as its client numbers it.
    private struct ClientConnectionNumber: Hashable {
        var client: Int
        var number: Int
    }

    static func complaints(about tale: ChaosTale) -> [String] {
        var reconciliation = Reconciliation(tale)
        reconciliation.checkAll()
        return reconciliation.complaints
    }

    private init(_ tale: ChaosTale) {
        self.tale = tale
        record = ChaosRecord(tale)
        hurried = Set(tale.entries.filter { tale.hurriedClients.contains($0.client) }.map(\.send.key))
    }

    private mutating func checkAll() {
        checkThatNothingIsMissing()
        if tale.entries.contains(where: \.wasStopped), !refusesCredentials {
            complaints.append("a sequence was stopped for credentials that are good")
        }
        for entry in tale.entries { pair(entry) }
        for entry in tale.entries {
            for problem in problems(of: entry) { complain(problem, about: entry) }
        }
        checkConnections()
    }

    private mutating func checkThatNothingIsMissing() {
        let sent = Set(tale.entries.map(\.send.key))
        if sent.count != tale.plan.sends.count {
            complaints.append("\(sent.count) of \(tale.plan.sends.count) have an outcome")
        }
        for id in record.arrivals.keys where !sent.contains(id) {
            complaints.append("\(id) arrived, and nobody sent it")
        }
        if tale.arrivals.first?.number ?? 1 != 1 { complaints.append("the mock's log has given way") }
    }

    // MARK: One notification

    private func problems(of entry: ChaosTale.Entry) -> [String] {
        let log = record.arrivals[entry.send.key] ?? []
        var problems = attemptProblems(entry, log)
        switch entry.received {
        case .invalid, .outcome(.invalid):
            if !entry.send.isInvalid || !log.isEmpty { problems.append("it was called invalid") }
        case .neverBegun:
            let mayBe = entry.wasCancelled || entry.wasStopped
            if !mayBe || !log.isEmpty { problems.append("it was never begun") }
        case .outcome(.accepted(let acceptance)): problems += self.problems(of: acceptance, entry, log)
        case .outcome(.rejected(let rejection)): problems += self.problems(of: rejection, entry, log)
        case .outcome(.notSent(let notSent)): problems += self.problems(of: notSent, entry, log)
        case .outcome(.unknown(let unknown)): problems += self.problems(of: unknown, entry, log)
        }
        return problems
    }

    /// A busy mock may read two connections in another order than the client wrote to them. So what was accepted counts as the last try, if
    /// only tries that got no answer, on other connections, arrived behind it.
    private func inOrderOfSending(_ arrivals: [MockArrival]) -> [MockArrival] {
        let accepted = arrivals.lastIndex { $0.verdict.status == 200 && isAnswerThatCounted($0) }
        guard let accepted else { return arrivals }
        let behind = arrivals[(accepted + 1)...]
        let connection = arrivals[accepted].connection
        guard behind.allSatisfy({ !$0.wasAnswered && $0.connection != connection }) else { return arrivals }
        return Array(arrivals[..<accepted]) + behind + [arrivals[accepted]]
    }

    /// What was sent again had to be: whatever it came to in the end.
    private func attemptProblems(_ entry: ChaosTale.Entry, _ arrivals: [MockArrival]) -> [String] {
        let log = inOrderOfSending(arrivals)
        var problems: [String] = []
        let policy = tale.plan.client.retry
        if let expiresIn = entry.send.expiresIn, expiresIn < 0, !log.isEmpty {
            problems.append("it was sent after its expiration")
        }
        if log.count > policy.attempts {
            problems.append("it arrived \(log.count) times, \(policy.attempts) are allowed")
        }
        for arrival in log.dropLast() {
            if record.isPassing(arrival) { continue }
            if isAnswerThatCounted(arrival) {
                problems.append("it was sent again after its answer, arrival \(arrival.number)")
            } else if !record.isRefused(arrival), tale.plan.isAtMostOnce || !record.isLeftUnknown(arrival) {
                problems.append("it was sent again, and nobody knew what had become of arrival \(arrival.number)")
            }
        }
        if tale.plan.isAtMostOnce, log.count(where: { $0.verdict.status == 200 }) > 1 {
            problems.append("it was taken twice")
        }
        if let last = log.last, tale.plan.isAtMostOnce, isAnswerThatCounted(last), !agrees(entry.received, with: last) {
            problems.append("it was answered by \(last.verdict.status), whole and on a connection that lived on")
        }
        return problems
    }

    private func agrees(_ received: ChaosTale.Received, with answer: MockArrival) -> Bool {
        switch received {
        case .outcome(.accepted): answer.verdict.status == 200
        case .outcome(.rejected(let rejection)): answer.verdict.status == rejection.status
        // Whoever gives up has not seen the answer that came later.
        case .outcome(.unknown(let unknown)):
            unknown.cause == .deadline || unknown.cause == .cancelled || canHaveGoneOn(after: answer, unknown.trace)
        case .outcome(.notSent(let notSent)):
            canHaveGoneOn(after: answer, notSent.trace) || notSent.cause == .superseded && record.isPassing(answer)
        case .invalid, .outcome(.invalid), .neverBegun: false
        }
    }

    /// There was another attempt, and it did not arrive.
    private func canHaveGoneOn(after answer: MockArrival, _ trace: PushOutcome.Trace) -> Bool {
        record.isPassing(answer) && trace.attempts > record.arrivals[answer.key]?.count ?? 0
    }

    private func problems(of acceptance: PushOutcome.Acceptance, _ entry: ChaosTale.Entry, _ log: [MockArrival])
        -> [String]
    {
        var problems: [String] = []
        if !log.contains(where: { $0.verdict.status == 200 && (record.isProperAnswer($0) || record.wasCutOff($0)) }) {
            problems.append("it was called accepted, and the mock has not answered 200 to it")
        }
        if acceptance.apnsID.lowercased() != entry.send.key { problems.append("its apns-id is \(acceptance.apnsID)") }
        if acceptance.trace.attempts < log.count { problems.append("it arrived \(log.count) times") }
        return problems
    }

    private func problems(of rejection: PushOutcome.Rejection, _ entry: ChaosTale.Entry, _ log: [MockArrival])
        -> [String]
    {
        let answers = log.filter { $0.wasAnswered && $0.verdict.status != 200 }
        guard let last = answers.last else { return ["it was called rejected, and the mock has not rejected it"] }
        var problems: [String] = []
        // The status came in time, and the reason behind it may not.
        let isDue = rejection.trace.queued + rejection.trace.inFlight >= timeout(entry)
        let isCutShort = record.wasCutOff(last) || isDue || isCancelled(entry) || isShutDown(entry.client)
        let isWithoutItsBody = rejection.reason == nil && isCutShort
        if rejection.status != last.verdict.status || (rejection.reason != record.reason(of: last) && !isWithoutItsBody)
        {
            problems.append(
                "the mock's last word on it is \(last.verdict.status) \(record.reason(of: last)?.rawValue ?? "-")")
        }
        if log.contains(where: { $0.verdict.status == 200 && isAnswerThatCounted($0) }) {
            problems.append("it was called rejected, and it was accepted")
        }
        return problems
    }

    private func problems(of notSent: PushOutcome.NotSent, _ entry: ChaosTale.Entry, _ log: [MockArrival]) -> [String] {
        var problems: [String] = []
        for arrival in log where !record.isRefused(arrival) && !record.isPassing(arrival) {
            problems.append("it was called not sent, and arrival \(arrival.number) is more than that")
        }
        if log.contains(where: { $0.verdict.status == 200 }) { problems.append("the mock has judged and taken it") }
        let isDue = notSent.trace.queued >= timeout(entry)
        switch notSent.cause {
        case .deadline: if !isDue { problems.append("its deadline had not come") }
        case .noConnection: if !isDue, !hasImpostor { problems.append("its deadline had not come") }
        case .expired: if entry.send.expiresIn == nil { problems.append("it has no expiration") }
        case .cancelled: if !isCancelled(entry) { problems.append("nobody has cancelled it") }
        case .shutdown: if !isShutDown(entry.client) { problems.append("its client was not shut down") }
        case .refused, .connectionLost: break
        case .credentials: if !refusesCredentials { problems.append("the credentials are good") }
        case .superseded: if !isReplaced(entry) { problems.append("nothing has replaced it") }
        default: problems.append("its cause \(notSent.cause) is not known here")
        }
        return problems
    }

    private func problems(of unknown: PushOutcome.Unknown, _ entry: ChaosTale.Entry, _ log: [MockArrival]) -> [String] {
        if unknown.apnsID.lowercased() != entry.send.key { return ["its apns-id is \(unknown.apnsID)"] }
        switch unknown.cause {
        case .deadline:
            return unknown.trace.queued + unknown.trace.inFlight >= timeout(entry) ? [] : ["its deadline had not come"]
        case .cancelled: return isCancelled(entry) ? [] : ["nobody has cancelled it"]
        case .streamReset:
            return log.contains { record.fault(of: $0)?.consequence == .unknown }
                ? [] : ["no fault has reset its stream"]
        case .malformedAnswer:
            return log.contains { record.fault(of: $0)?.consequence == .malformed }
                ? [] : ["no fault has spoilt its answer"]
        case .connectionLost:
            if tale.hurriedClients.contains(entry.client) { return [] }
            return connections(of: unknown, entry).contains(where: record.isEndedByFault)
                ? [] : ["no connection that it can have been on was ended by a fault"]
        default: return ["its cause \(unknown.cause) is not known here"]
        }
    }

    /// A proper answer on a connection that nothing has cut off: the client must have seen it.
    private func isAnswerThatCounted(_ arrival: MockArrival) -> Bool {
        guard record.isProperAnswer(arrival) else { return false }
        return !record.isOnEndedConnection(arrival) && !hurried.contains(arrival.key)
    }

    // MARK: What its caller did

    private func timeout(_ entry: ChaosTale.Entry) -> Duration { entry.send.timeout ?? tale.plan.client.timeout }

    private func isCancelled(_ entry: ChaosTale.Entry) -> Bool {
        entry.send.cancelledAfter != nil || entry.wasCancelled
    }

    /// The client has started another one with its collapse id.
    private func isReplaced(_ entry: ChaosTale.Entry) -> Bool {
        tale.entries.contains { other in
            guard case .outcome(let outcome) = other.received, other.client == entry.client else { return false }
            return other.send.collapseID != nil && other.send.collapseID == entry.send.collapseID
                && other.send.key != entry.send.key && outcome.trace.attempts > 0
        }
    }

    private func isShutDown(_ client: Int) -> Bool { client < tale.plan.handovers.count }

    private var hasImpostor: Bool { tale.plan.faults.contains { $0.consequence == .terminal } }

    private var refusesCredentials: Bool {
        tale.plan.faults.contains { $0.fault.name == ChaosCatalogue.refusedCredentials.name }
    }

    // MARK: Connections

    /// What arrived once shows which connection of the client is which of the mock.
    private mutating func pair(_ entry: ChaosTale.Entry) {
        guard case .outcome(let outcome) = entry.received, let number = outcome.connection,
            let log = record.arrivals[entry.send.key], log.count == 1, outcome.trace.attempts == 1
        else { return }
        let key = ClientConnectionNumber(client: entry.client, number: number)
        let connection = log[0].connection
        if let other = pairs[key], other != connection {
            complain("it arrived on connection \(connection), and others of its connection on \(other)", about: entry)
        }
        pairs[key] = connection
    }

    /// Those that it can have been lost with: its own, or one that answered nothing, so that nobody knows whose it was.
    private func connections(of unknown: PushOutcome.Unknown, _ entry: ChaosTale.Entry) -> [MockConnectionRecord] {
        guard let number = unknown.trace.connection else { return [] }
        // An earlier attempt may be the unknown one.
        if !tale.plan.isAtMostOnce, unknown.trace.attempts > 1 { return tale.records }
        if let known = pairs[ClientConnectionNumber(client: entry.client, number: number)] {
            return record.connections[known].map { [$0] } ?? []
        }
        let known = Set(pairs.values)
        return tale.records.filter { !known.contains($0.number) }
    }

    private mutating func checkConnections() {
        if Set(pairs.values).count != pairs.count {
            complaints.append("two connections of clients were one of the mock")
        }
        var lost: [ClientConnectionNumber: Int] = [:]
        for entry in tale.entries {
            guard case .outcome(.unknown(let unknown)) = entry.received, unknown.cause == .connectionLost,
                let number = unknown.trace.connection
            else { continue }
            lost[ClientConnectionNumber(client: entry.client, number: number), default: 0] += 1
        }
        for (key, count) in lost {
            guard let connection = pairs[key].flatMap({ record.connections[$0] }) else { continue }
            let limit = min(tale.plan.client.streamsPerConnection, record.streamLimit(connection))
            if count > limit {
                complaints.append(
                    "\(count) were lost with connection \(connection.number), where \(limit) could be open")
            }
        }
        for connection in tale.records {
            let limit = record.streamLimit(connection)
            if connection.maximumOpenStreams > limit {
                complaints.append(
                    "\(connection.maximumOpenStreams) streams on connection \(connection.number), \(limit) allowed")
            }
        }
    }

    // MARK: Complaints

    private mutating func complain(_ problem: String, about entry: ChaosTale.Entry) {
        complaints.append("\(entry.send.key) (\(entry.words)): \(problem)\(record.history(of: entry.send.key))")
    }
}

extension ChaosTale.Entry {
    fileprivate var words: String {
        let sent =
            "client \(client), timeout \(send.timeout.map { "\($0)" } ?? "usual")"
            + (send.cancelledAfter.map { ", cancelled after \($0)" } ?? "")
        switch received {
        case .invalid: return "invalid; \(sent)"
        case .neverBegun: return "never begun; \(sent)"
        case .outcome(let outcome):
            return "\(outcome.summary); \(outcome.sentence) Connection \(outcome.connection ?? 0), "
                + "\(outcome.trace.attempts) attempts; \(sent)"
        }
    }
}
