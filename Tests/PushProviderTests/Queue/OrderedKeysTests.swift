import Foundation
import TestSupport
import Testing

@testable import PushProvider

/// Which of several pushes that replace each other may be sent.
struct OrderedKeysTests {
    var keys = OrderedKeys<String, Int>()

    /// What is said about a push, to compare.
    private enum Said: Equatable {
        case go([Int])
        case wait
        case superseded

        init(_ turn: OrderedKeys<String, Int>.Turn) {
            self =
                switch turn {
                case .go(let older): .go(older.sorted())
                case .wait: .wait
                case .superseded: .superseded
                }
        }
    }

    private mutating func begin(_ number: Int, _ key: String = "a", isStarted: Bool = true) -> Said {
        Said(keys.begin(number, number, key, isStarted: isStarted))
    }

    @Test mutating func `a push waits for the one of its key that is on the way, and other keys pass`() {
        #expect(begin(1) == .go([]))
        #expect(begin(2) == .wait)
        #expect(begin(3) == .wait)
        #expect(begin(4, "b") == .go([]))
        #expect(keys.end(1, "a") == 2)
        #expect(begin(2) == .go([]))
        #expect(keys.end(2, "a") == 3)
        #expect(keys.end(3, "a") == nil)
        #expect(keys.end(4, "b") == nil)
        #expect(keys.count == 0)
    }

    @Test mutating func `a push that rests lets a newer one pass, which supersedes it`() {
        #expect(begin(1) == .go([]))
        #expect(begin(2) == .wait)
        #expect(keys.rest(1, 1, "a") == 2)
        #expect(begin(2) == .go([1]))
        #expect(keys.end(2, "a") == nil)
        #expect(keys.count == 0)
    }

    @Test mutating func `a newer push that only waits supersedes nothing`() {
        #expect(begin(1) == .go([]))
        #expect(begin(2) == .wait)
        #expect(keys.rest(1, 1, "a") == 2)
        // It is cancelled before it starts.
        #expect(keys.end(2, "a") == nil)
        #expect(begin(1) == .go([]))
    }

    @Test mutating func `a push whose turn has come keeps it until it begins`() {
        #expect(begin(1) == .go([]))
        #expect(begin(2) == .wait)
        #expect(keys.rest(1, 1, "a") == 2)
        #expect(begin(1) == .wait)
        #expect(begin(2) == .go([1]))
    }

    @Test mutating func `what is not started supersedes nothing until it is`() {
        #expect(begin(1) == .go([]))
        #expect(keys.rest(1, 1, "a") == nil)
        #expect(begin(2, isStarted: false) == .go([]))
        #expect(keys.started(2, "a") == [1])
        #expect(begin(1) == .superseded)
        #expect(keys.end(2, "a") == nil)
        #expect(keys.count == 0)
    }

    /// The rule in the plainest words, which forgets nothing and looks at every push each time.
    private struct Model {
        enum Place {
            case onTheWay, hasTurn, waits, rests
        }

        struct Known {
            var number: Int
            var key: String
            var place: Place
        }

        var known: [Known] = []
        var newest: [String: Int] = [:]

        func holder(_ key: String) -> Known? {
            known.first { $0.key == key && ($0.place == .onTheWay || $0.place == .hasTurn) }
        }

        mutating func start(_ number: Int, _ key: String) -> [Int] {
            newest[key] = max(newest[key] ?? 0, number)
            let older = known.filter { $0.key == key && $0.number < number }.map(\.number)
            known.removeAll { older.contains($0.number) }
            return older.sorted()
        }

        mutating func begin(_ number: Int, _ key: String, isStarted: Bool) -> Said {
            let holder = holder(key)
            known.removeAll { $0.number == number }
            if number < newest[key] ?? 0 { return .superseded }
            guard holder == nil || holder?.number == number else {
                known.append(Known(number: number, key: key, place: .waits))
                return .wait
            }
            let older = isStarted ? start(number, key) : []
            known.append(Known(number: number, key: key, place: .onTheWay))
            return .go(older)
        }

        mutating func leave(_ number: Int, _ key: String, rests: Bool) -> Int? {
            let held = holder(key)?.number == number
            known.removeAll { $0.number == number }
            if rests { known.append(Known(number: number, key: key, place: .rests)) }
            let next = known.indices.filter { known[$0].key == key && known[$0].place == .waits }
                .min { known[$0].number < known[$1].number }
            guard held, let next else { return nil }
            known[next].place = .hasTurn
            return known[next].number
        }
    }

    /// `ORDERED_KEYS_HISTORIES=1000000` makes as many, which takes minutes.
    private static let histories =
        ProcessInfo.processInfo.environment["ORDERED_KEYS_HISTORIES"].flatMap { Int($0) } ?? 5_000

    @Test(.timeLimit(.minutes(60)))
    func `random histories are those of the model, no older push starts after a newer one, and nothing is left`() {
        var generator = SeededGenerator(seed: 37)
        for history in 0..<Self.histories {
            guard let problem = Self.problem(&generator) else { continue }
            Issue.record("history \(history): \(problem)")
            return
        }
    }

    /// One history: pushes come, end, rest, come again and are withdrawn.
    ///
    /// - Returns: What went wrong in it.
    private static func problem(_ generator: inout SeededGenerator) -> String? {
        var keys = OrderedKeys<String, Int>()
        var model = Model()
        var last = 0
        var lastStarted: [String: Int] = [:]
        func begin(_ number: Int, _ key: String, _ generator: inout SeededGenerator) -> String? {
            let isStarted = !generator.oneIn(5)
            let expected = model.begin(number, key, isStarted: isStarted)
            let said = Said(keys.begin(number, number, key, isStarted: isStarted))
            if said != expected { return "\(number) of \(key) begins: \(said), not \(expected)" }
            guard case .go = said, isStarted else { return nil }
            if number < lastStarted[key] ?? 0 { return "\(number) of \(key) starts after \(lastStarted[key] ?? 0)" }
            lastStarted[key] = number
            return nil
        }
        for _ in 0..<Int.random(in: 1...40, using: &generator) {
            if model.known.isEmpty || generator.oneIn(3) {
                last += 1
                if let problem = begin(last, generator.oneIn(3) ? "b" : "a", &generator) { return problem }
            } else if let push = model.known.randomElement(using: &generator) {
                let (number, key) = (push.number, push.key)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0 where push.place != .waits:
                    if let problem = begin(number, key, &generator) { return problem }
                case 1 where push.place == .onTheWay:
                    let expected = model.leave(number, key, rests: true)
                    let next = keys.rest(number, number, key)
                    if next != expected { return "\(number) of \(key) rests: \(String(describing: next)) follows" }
                case 2 where push.place == .onTheWay:
                    let expected = model.start(number, key)
                    let older = keys.started(number, key).sorted()
                    if older != expected { return "\(number) of \(key) was started: \(older), not \(expected)" }
                    lastStarted[key] = number
                default:
                    let expected = model.leave(number, key, rests: false)
                    let next = keys.end(number, key)
                    if next != expected { return "\(number) of \(key) ends: \(String(describing: next)) follows" }
                }
            }
            let unfinished = Set(model.known.map(\.key)).count
            if keys.count != unfinished { return "\(keys.count) keys for \(unfinished)" }
        }
        for push in model.known { _ = keys.end(push.number, push.key) }
        return keys.count == 0 ? nil : "\(keys.count) keys are left"
    }
}

/// Which pushes replace each other.
struct CollapseKeyTests {
    @Test func `topic, device token, push type and collapse id make the key, and nothing else does`() throws {
        let usual = try CollapseKey.sample("score")
        #expect(usual != nil)
        #expect(try CollapseKey.sample("score") { $0.priority = .powerAware } == usual)
        #expect(try CollapseKey.sample("score") { $0.payload = .alert(body: "Another") } == usual)
        #expect(try CollapseKey.sample("score") { $0.id = UUID() } == usual)
        #expect(try CollapseKey.sample("score") { $0.pushType = .alert } == usual)
        let upper = try DeviceToken(DeviceToken.sampleHex.uppercased())
        #expect(try CollapseKey.sample("score") { $0.deviceToken = upper } == usual)
        #expect(try CollapseKey.sample("Score") != usual)
        #expect(try CollapseKey.sample("score") { $0.topic = "com.example.other" } != usual)
        #expect(try CollapseKey.sample("score") { $0.pushType = .background } != usual)
        let other = try DeviceToken("00")
        #expect(try CollapseKey.sample("score") { $0.deviceToken = other } != usual)
    }

    @Test func `without a collapse id there is none`() throws {
        #expect(try CollapseKey.sample("") == nil)
        #expect(try PushNotification.sample().collapseKey(nil) == nil)
    }
}
