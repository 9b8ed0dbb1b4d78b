import APNSVocabulary
import PushProvider
import PushQueue
import Testing

@testable import PushDelivery

@Suite struct AppPaceTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private static func after(_ duration: Duration) -> MonotonicTime { start.advanced(by: duration) }

    private static func app(rate: Double? = nil, interval: Duration? = nil) -> AppSettings {
        var app = AppSettings(
            name: "shop", environment: .sandbox, credentials: .key(file: "k.p8", keyID: "A", teamID: "B"))
        (app.ratePerSecond, app.deviceInterval) = (rate, interval)
        return app
    }

    private static func certain(_ rank: Int, _ count: Int, until end: Duration = .seconds(1000)) -> WorkerStanding {
        .certain(WorkerPosition(rank: rank, count: count), until: after(end))
    }

    @Test func `one worker alone begins with a full bucket`() {
        let pace = AppPace(Self.app(rate: 100), isShared: false, now: Self.start)
        #expect(pace.allowedPushes(at: Self.start) == .some(10))
        #expect(pace.connections == 8)
    }

    @Test func `one of several begins with an empty bucket, and only when its share is certain`() {
        let app = Self.app(rate: 100)
        var pace = AppPace(app, isShared: true, now: Self.start)
        #expect(pace.allowedPushes(at: Self.start) == .none(until: nil))
        pace.follow(
            .uncertain(WorkerPosition(rank: 1, count: 2), from: Self.after(.seconds(3))), of: app, at: Self.start)
        #expect(pace.allowedPushes(at: Self.start) == .none(until: Self.after(.seconds(3))))
        #expect(!pace.maySend(at: Self.start))
        pace.follow(Self.certain(1, 2), of: app, at: Self.after(.seconds(3)))
        #expect(pace.maySend(at: Self.after(.seconds(3))))
        #expect(pace.allowedPushes(at: Self.after(.seconds(3))) != .some(1))
        #expect(pace.allowedPushes(at: Self.after(.milliseconds(3100))) == .some(5))
        #expect(pace.allowedPushes(at: Self.after(.seconds(60))) == .some(5))
    }

    @Test func `a worker that joins takes its share away without a burst, and gives it back without one`() {
        let app = Self.app(rate: 100)
        var pace = AppPace(app, isShared: true, now: Self.start)
        pace.follow(Self.certain(0, 1), of: app, at: Self.start)
        #expect(pace.allowedPushes(at: Self.after(.seconds(1))) == .some(10))
        pace.follow(Self.certain(0, 2), of: app, at: Self.after(.seconds(1)))
        #expect(pace.allowedPushes(at: Self.after(.seconds(1))) == .some(5))
        pace.follow(Self.certain(0, 1), of: app, at: Self.after(.seconds(2)))
        #expect(pace.allowedPushes(at: Self.after(.seconds(2))) == .some(5))
        #expect(pace.allowedPushes(at: Self.after(.milliseconds(2050))) == .some(10))
    }

    @Test func `a share ends when nothing is heard of the others, without another step`() {
        let app = Self.app(rate: 100)
        var pace = AppPace(app, isShared: true, now: Self.start)
        pace.follow(Self.certain(0, 1, until: .seconds(3)), of: app, at: Self.start)
        #expect(pace.maySend(at: Self.after(.milliseconds(2999))))
        #expect(!pace.maySend(at: Self.after(.seconds(3))))
        #expect(pace.allowedPushes(at: Self.after(.seconds(3))) == .none(until: nil))
        pace.follow(Self.certain(0, 1, until: .seconds(9)), of: app, at: Self.after(.seconds(4)))
        #expect(pace.allowedPushes(at: Self.after(.seconds(4))) != .some(10))
    }

    @Test func `an app without limits is sent also by a worker that hears nothing`() {
        let app = Self.app()
        var pace = AppPace(app, isShared: true, now: Self.start)
        pace.follow(.uncertain(WorkerPosition(rank: 1, count: 2), from: nil), of: app, at: Self.start)
        #expect(pace.allowedPushes(at: Self.after(.seconds(100))) == .all)
        #expect(pace.connections == 4)
    }

    @Test func `a worker that takes over devices waits for one interval`() {
        let app = Self.app(interval: .seconds(10))
        var pace = AppPace(app, isShared: true, now: Self.start)
        pace.follow(Self.certain(1, 2), of: app, at: Self.start)
        #expect(pace.allowedPushes(at: Self.start) == .none(until: nil))
        pace.follow(Self.certain(0, 1), of: app, at: Self.after(.seconds(1)))
        #expect(pace.allowedPushes(at: Self.after(.seconds(1))) == .none(until: Self.after(.seconds(11))))
        #expect(!pace.maySend(at: Self.after(.seconds(10))))
        pace.follow(Self.certain(0, 1), of: app, at: Self.after(.seconds(5)))
        #expect(pace.allowedPushes(at: Self.after(.seconds(11))) == .all)
        #expect(pace.ask("a", at: Self.after(.seconds(11))) == .now)
        #expect(pace.ask("a", at: Self.after(.seconds(12))) == .after(.seconds(9)))
    }
}
