import APNSVocabulary
import PushProvider
import PushQueue
import TestSupport

@testable import PushDelivery

/// Workers that share a queue, in a simulated time: some join, some leave or are killed, some hear nothing for a while. Each sends as
/// much as its paces let it. The fleet notes what they send.
struct WorkerFleet {
    /// A push of an app without a device pace.
    static let rate = 50.0
    static let interval = Duration.seconds(4)
    static let tick = 10

    /// Whether answers get lost, and some come late.
    var hasTrouble = true
    private(set) var workers: [FleetWorker] = []
    private var records: [String: QueueServiceRecord] = [:]
    private var version: Int64 = 0
    private var generator: SeededGenerator
    private var names = 0
    /// In milliseconds.
    private(set) var now = 0

    /// When the pushes of the app with a rate were sent.
    private(set) var rated: [Int] = []
    /// When the pushes of the other app were sent, by device.
    private(set) var paced: [Int: [Int]] = [:]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func join() {
        names += 1
        // The names are in no order, and the clocks of the machines differ.
        let name = "\(Int.random(in: 0..<1000, using: &generator))-\(names)"
        let offset = Int.random(in: 0..<1_000_000, using: &generator)
        workers.append(FleetWorker(name: name, offset: offset, now: now))
    }

    /// A worker ends and removes its record, or is killed.
    mutating func end(inOrder: Bool) {
        guard !workers.isEmpty else { return }
        let worker = workers.remove(at: Int.random(in: 0..<workers.count, using: &generator))
        if inOrder { records[worker.name] = nil }
    }

    /// Lets a worker hear nothing for a while. It goes on sending while its paces let it.
    mutating func silence(for duration: Int) {
        guard let index = workers.indices.randomElement(using: &generator) else { return }
        workers[index].isSilentUntil = now + duration
    }

    mutating func run(_ duration: Int) {
        for _ in 0..<duration / Self.tick {
            now += Self.tick
            for index in workers.indices {
                step(index)
                send(index)
            }
        }
    }

    // MARK: Heartbeats

    private mutating func step(_ index: Int) {
        var worker = workers[index]
        defer { workers[index] = worker }
        guard now >= worker.stepAt, now >= worker.isSilentUntil else { return }
        worker.stepAt = now + delay()
        // Now and then an answer is lost, after the step or before it.
        let (isDone, isHeard) = (!isTrouble(15), !isTrouble(15))
        switch worker.step {
        case .idle: worker.beginRenewal(at: now)
        case .renewing(let began, let value):
            if isDone { store(value, worker.name) }
            guard isDone, isHeard else { return worker.rest(until: now + 1000) }
            worker.step = .renewed(began: began)
        case .renewed(let began): worker.endRenewal(began: began, at: now)
        case .looking(let began):
            guard isDone, isHeard else { return worker.rest(until: now + 1000) }
            worker.step = .looked(began: began, records.values.sorted { $0.key < $1.key })
        case .looked(let began, let found):
            worker.see(found, began: began, at: now)
            worker.rest(until: now + 1000)
        }
    }

    private mutating func delay() -> Int {
        isTrouble(40) ? Int.random(in: 0..<4000, using: &generator) : Int.random(in: 0..<150, using: &generator)
    }

    private mutating func isTrouble(_ count: Int) -> Bool { hasTrouble && generator.oneIn(count) }

    private mutating func store(_ value: [UInt8], _ name: String) {
        version += 1
        records[name] = QueueServiceRecord(key: name, value: value, version: version)
    }

    // MARK: Pushes

    private mutating func send(_ index: Int) {
        let time = workers[index].time(now)
        workers[index].follow(at: time)
        if case .some(let maximum) = workers[index].rated.allowedPushes(at: time) {
            for _ in 0..<maximum {
                workers[index].rated.sent(at: time)
                rated.append(now)
            }
        }
        guard workers[index].paced.allowedPushes(at: time) == .all else { return }
        let device = Int.random(in: 0..<3, using: &generator)
        if workers[index].paced.ask("\(device)", at: time) == .now { paced[device, default: []].append(now) }
    }
}

/// A worker of a fleet.
struct FleetWorker {
    enum Step {
        case idle
        case renewing(began: MonotonicTime, [UInt8])
        case renewed(began: MonotonicTime)
        case looking(began: MonotonicTime)
        case looked(began: MonotonicTime, [QueueServiceRecord])
    }

    let name: String
    /// What its clock shows more than the time of the fleet, in milliseconds.
    let offset: Int
    var step = Step.idle
    var stepAt: Int
    var isSilentUntil = 0
    var shares: WorkerShares
    var rated: AppPace
    var paced: AppPace

    private static let ratedApp = app("rated") { $0.ratePerSecond = WorkerFleet.rate }
    private static let pacedApp = app("paced") { $0.deviceInterval = WorkerFleet.interval }

    private static func app(_ name: String, _ change: (inout AppSettings) -> Void) -> AppSettings {
        var app = AppSettings(
            name: name, environment: .sandbox, credentials: .key(file: "k.p8", keyID: "A", teamID: "B"))
        change(&app)
        return app
    }

    init(name: String, offset: Int, now: Int) {
        (self.name, self.offset, stepAt) = (name, offset, now)
        let time = MonotonicTime(nanoseconds: UInt64(now + offset) * 1_000_000)
        shares = WorkerShares(name: name, times: HeartbeatTimes())
        rated = AppPace(Self.ratedApp, isShared: true, now: time)
        paced = AppPace(Self.pacedApp, isShared: true, now: time)
    }

    func time(_ now: Int) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(now + offset) * 1_000_000) }

    mutating func follow(at time: MonotonicTime) {
        rated.follow(shares.standing(of: "rated", at: time), of: Self.ratedApp, at: time)
        paced.follow(shares.standing(of: "paced", at: time), of: Self.pacedApp, at: time)
    }

    mutating func beginRenewal(at now: Int) {
        var heartbeat = WorkerHeartbeat(name: name, time: QueueTime(milliseconds: Int64(now)))
        heartbeat.apps = shares.renewing(["rated", "paced"], at: heartbeat.time)
        step = .renewing(began: time(now), heartbeat.encoded)
    }

    mutating func endRenewal(began: MonotonicTime, at now: Int) {
        shares.wasRenewed(began: began, at: time(now))
        step = .looking(began: time(now))
    }

    mutating func see(_ records: [QueueServiceRecord], began: MonotonicTime, at now: Int) {
        _ = shares.saw(records, began: began, at: time(now))
    }

    mutating func rest(until next: Int) {
        (step, stepAt) = (.idle, next)
    }
}
