import MockAPNs
import TestSupport

/// A fault of a plan, and what it may lead to.
struct ChaosFault: Sendable {
    /// As Tests/README.md and the tests of single faults tell them apart.
    enum Consequence: String, Sendable {
        /// The outcome is what the server says.
        case none
        /// The request is declared unprocessed.
        case refused
        /// Nobody but the mock knows whether the request was taken.
        case unknown
        /// The answer is against the rules: unknown.
        case malformed
        /// No answer ever comes.
        case unanswered
        /// The client must not trust the server: everything that waits fails at once.
        case terminal
        /// The connection ends: what was open on it is unknown, unless it is declared unprocessed.
        case connection
    }

    var fault: MockFault
    var consequence: Consequence

    /// What a round is like as a whole.
    struct Mood: Sendable {
        /// Some answers never come.
        var leavesUnanswered: Bool
        /// Some connections get no further than TCP or TLS.
        var stallsConnections: Bool
        /// Some requests are judged long before their end is decided. A GOAWAY that goes back behind them would lie.
        var judgesAhead: Bool
        /// The credentials are refused at some time.
        var refusesCredentials: Bool
        /// The server shows a certificate that is none, or speaks something else than HTTP/2.
        var isImpostor: Bool

        init(chance: inout SeededGenerator) {
            leavesUnanswered = chance.oneIn(6)
            stallsConnections = chance.oneIn(8)
            judgesAhead = leavesUnanswered || chance.oneIn(3)
            refusesCredentials = chance.oneIn(25)
            isImpostor = chance.oneIn(15)
        }
    }

    /// The kinds that every round has, and some of the others.
    static func draw(_ mood: Mood, _ chance: inout SeededGenerator) -> [ChaosFault] {
        let often = ChaosCatalogue.everyRound(&chance)
        var others = ChaosCatalogue.requests + ChaosCatalogue.answers + ChaosCatalogue.ends + ChaosCatalogue.settings
        others += ChaosCatalogue.atHeaders + ChaosCatalogue.spoiltAnswers + ChaosCatalogue.frames + ChaosCatalogue.pace
        others += mood.judgesAhead ? ChaosCatalogue.judgedAhead : ChaosCatalogue.goingBack
        if mood.leavesUnanswered { others += ChaosCatalogue.unanswered }
        others.shuffle(using: &chance)
        var drawn = often + others.prefix(Int.random(in: 6...14, using: &chance)).map { $0.fault(&chance) }
        let opening = mood.stallsConnections ? ChaosCatalogue.stalledOpenings : ChaosCatalogue.openings
        if mood.stallsConnections || chance.oneIn(2) {
            drawn += opening.shuffled(using: &chance).prefix(2).map { $0.fault(&chance) }
        }
        if mood.isImpostor { drawn.append(ChaosCatalogue.impostor.fault(&chance)) }
        if mood.refusesCredentials { drawn.append(ChaosCatalogue.refusedCredentials.fault(&chance)) }
        return drawn
    }
}

/// A kind of fault: how likely it is, and how it is drawn.
struct ChaosKind: Sendable {
    var name: String
    var consequence: ChaosFault.Consequence
    var moment = MockFault.Moment.request
    /// How likely on each request or connection.
    var likely: ClosedRange<Double>
    var times: Int?
    /// It begins with a request among these; with the first by default.
    var begins: ClosedRange<Int>?
    var steps: @Sendable (inout SeededGenerator) -> [MockFault.Step]

    init(
        _ name: String, _ consequence: ChaosFault.Consequence, at moment: MockFault.Moment = .request,
        likely: ClosedRange<Double>, times: Int? = nil, begins: ClosedRange<Int>? = nil,
        _ steps: @escaping @Sendable (inout SeededGenerator) -> [MockFault.Step]
    ) {
        self.name = name
        self.consequence = consequence
        self.moment = moment
        self.likely = likely
        self.times = times
        self.begins = begins
        self.steps = steps
    }

    func fault(_ chance: inout SeededGenerator) -> ChaosFault {
        let first = begins.map { MockFault.Ordinal(from: Int.random(in: $0, using: &chance)) }
        let when = MockFault.Matcher(request: first, probability: Double.random(in: likely, using: &chance))
        let fault = MockFault(name: name, at: moment, when: when, steps: steps(&chance), times: times)
        return ChaosFault(fault: fault, consequence: consequence)
    }
}
