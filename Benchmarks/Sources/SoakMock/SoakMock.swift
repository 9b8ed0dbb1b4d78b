import CHeap
import Foundation
import MockAPNs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A mock with random faults, for scripts/soak: it rotates connections, resets streams, answers late, and prints what it did
/// with each request.
///
/// Prints its port, then a line for each request, `apns-id status reason answered`, and each second `# heap` with the bytes in
/// use. It ends when its standard input ends.
@main
struct SoakMock {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let seed = UInt64(arguments[2]) else {
            return print("use: SoakMock STATE-FOLDER SEED")
        }
        // scripts/soak begins to measure when the log is full: later growth is a leak.
        var configuration = MockConfiguration()
        configuration.seed = seed
        configuration.logCount = 5000
        configuration.bodyBytes = 0
        configuration.recordCount = 50
        configuration.recordLength = 100
        let mock = try await MockServer.start(configuration, credentials: .kept(in: arguments[1]))
        for fault in faults { try mock.inject(fault) }
        print("port \(mock.port)")
        fflush(nil)
        // Reads on a separate thread, because the read blocks all the time. Does not use `readLine`, because `fflush` would wait
        // for it.
        Thread.detachNewThread {
            _ = try? FileHandle.standardInput.readToEnd()
            Task { await mock.stop() }
        }
        let heap = Task { await HeapReport.tellEachSecond() }
        for await arrival in mock.arrivalSequence {
            let id = arrival.request.id?.lowercased() ?? "-"
            print(id, arrival.verdict.status, arrival.verdict.reason?.rawValue ?? "-", arrival.wasAnswered ? 1 : 0)
        }
        heap.cancel()
        print("end \(mock.arrivalCount) \(mock.connectionCount)")
    }

    /// About one request in thirty has a fault, and a connection lasts for a few hundred requests.
    private static var faults: [MockFault] {
        let sometimes = { (probability: Double) in MockFault.Matcher(probability: probability) }
        return [
            MockFault(
                at: .connectionAccepted, when: MockFault.Matcher(connection: .every(17)),
                steps: [.closeConnection(.tcpReset)]),
            MockFault(
                at: .connectionEstablished, when: MockFault.Matcher(connection: .every(5)),
                steps: [.wait(.milliseconds(50), upTo: .milliseconds(300))]),
            MockFault(when: MockFault.Matcher(match: .every(400)), steps: [.goAway(.newest)]),
            MockFault(
                when: MockFault.Matcher(match: .every(900)),
                steps: [.goAway(.highest), .wait(.milliseconds(50)), .goAway(.newest, reason: .shutdown)]),
            MockFault(when: MockFault.Matcher(match: .every(1500)), steps: [.goAway(.below, reason: .shutdown)]),
            // Some of these faults occur while nothing is sent.
            MockFault(
                when: MockFault.Matcher(match: .every(1100)),
                steps: [.judge, .wait(.seconds(1), upTo: .seconds(3)), .closeConnection(.tlsClosed)]),
            MockFault(when: MockFault.Matcher(match: .every(2100)), steps: [.closeConnection(.tcpClosed)]),
            MockFault(when: MockFault.Matcher(match: .every(2300)), steps: [.closeConnection(.tcpReset)]),
            MockFault(
                when: MockFault.Matcher(match: .every(1700)),
                steps: [
                    .settings(maxConcurrentStreams: 10), .wait(.milliseconds(200)),
                    .settings(maxConcurrentStreams: 1000),
                ]),
            MockFault(
                when: MockFault.Matcher(match: .every(5000)),
                steps: [.answer(status: 403, reason: .expiredProviderToken)]),
            MockFault(when: sometimes(0.01), steps: [.resetStream(.refusedStream)]),
            MockFault(when: sometimes(0.005), steps: [.resetStream(.internalError)]),
            MockFault(when: sometimes(0.002), steps: [.resetStream(.enhanceYourCalm)]),
            MockFault(when: sometimes(0.005), steps: [.answer(status: 410, reason: .unregistered)]),
            MockFault(when: sometimes(0.005), steps: [.answer(status: 503, reason: .serviceUnavailable)]),
            MockFault(when: sometimes(0.01), steps: [.wait(.milliseconds(10), upTo: .milliseconds(200))]),
            MockFault(when: sometimes(0.0005), steps: [.judge, .noAnswer]),
        ]
    }
}

/// Prints the allocated bytes of the process each second.
enum HeapReport {
    static func tellEachSecond() async {
        while !Task.isCancelled {
            print("# heap \(CHeap_in_use())")
            // The C library does not flush each line of a pipe.
            fflush(nil)
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
