import APNSVocabulary
import PushProvider
import PushQueue
import Testing

@testable import PushDelivery

@Suite struct AppShareTests {
    private func app(
        rate: Double? = nil, interval: Duration? = nil, connections: Int = 8
    ) -> AppSettings {
        var app = AppSettings(
            name: "shop", environment: .sandbox, credentials: .key(file: "k.p8", keyID: "A", teamID: "B"))
        (app.ratePerSecond, app.deviceInterval) = (rate, interval)
        (app.client.minimumConnections, app.client.maximumConnections) = (1, connections)
        return app
    }

    private func shares(_ count: Int, _ app: AppSettings) -> [AppShare] {
        (0..<count).map { AppShare(WorkerPosition(rank: $0, count: count), of: app) }
    }

    @Test(arguments: 1...20) func `the connections of all workers together are those of the app`(count: Int) {
        let shares = shares(count, app())
        #expect(shares.reduce(0) { $0 + $1.connections } == 8)
        #expect(shares.allSatisfy { $0.isSender == ($0.connections > 0) })
        #expect(shares.allSatisfy { $0.rate == nil })
    }

    @Test(arguments: 1...20, [0.1, 1, 9, 25, 60, 1000]) func `the rates of all workers together are that of the app`(
        count: Int, rate: Double
    ) {
        let shares = shares(count, app(rate: rate)).filter(\.isSender)
        #expect(abs(shares.reduce(0) { $0 + ($1.rate ?? 0) } - rate) < 1e-6)
        // A worker that may send less than one push in a tenth of a second would need a burst.
        #expect(shares.count == 1 || shares.allSatisfy { ($0.rate ?? 0) >= 10 })
    }

    @Test func `an app with a time between two pushes to a device has one sender`() {
        let shares = shares(4, app(rate: 1000, interval: .seconds(1)))
        #expect(shares.map(\.isSender) == [true, false, false, false])
        #expect(shares[0].rate == 1000)
        #expect(shares.map(\.connections) == [8, 0, 0, 0])
    }

    // MARK: States

    private func status(_ state: AppStatus.State, _ reason: String? = nil) -> AppStatus {
        var status = AppStatus(name: "shop", state: state)
        status.reason = reason
        return status
    }

    @Test func `the states of several workers become one: the best, with what is wrong elsewhere`() throws {
        var own = status(.running)
        (own.inFlight, own.certificateDaysLeft) = (3, 20)
        var other = status(.refused, "The key is wrong.")
        (other.inFlight, other.certificateDaysLeft, other.isConnected) = (2, 10, true)
        let one = try #require(AppStatus.together([("a", own), ("b", other)]))
        #expect(one.state == .running)
        #expect(one.inFlight == 5 && one.certificateDaysLeft == 10 && one.isConnected)
        #expect(one.reason == "On worker b, the app is refused: The key is wrong.")
    }

    @Test func `an app that is refused everywhere is refused`() throws {
        let both = [("a", status(.refused, "The key is wrong.")), ("b", status(.refused, "The key is wrong."))]
        let one = try #require(AppStatus.together(both))
        #expect(one.state == .refused && one.reason == "The key is wrong.")
    }

    @Test func `a pause shows at once at the worker that was asked`() throws {
        #expect(AppStatus.together([("a", status(.paused)), ("b", status(.running))])?.state == .paused)
        #expect(AppStatus.together([]) == nil)
    }
}
