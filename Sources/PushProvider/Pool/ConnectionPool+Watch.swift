internal import Logging
internal import NIOCore

struct PoolChecks {
    var timer: Scheduled<Void>?
    /// Whether the timer has the long interval, because there was nothing to do.
    var areRare = false
    /// Whether there was something to do since the last check.
    var isWoken = false
}

/// Checks the connections a few times per second, and opens or closes some.
extension ConnectionPool {
    /// Begins or speeds up the checks, because there may be something to do.
    func keepWatch() {
        checks.isWoken = true
        guard !ending.isOn, checks.timer == nil || checks.areRare else { return }
        scheduleWatch(after: PoolWatch.pause)
    }

    private func scheduleWatch(after pause: Duration) {
        checks.timer?.cancel()
        checks.areRare = pause == PoolWatch.idlePause
        checks.timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: pause)) { self.check() }
        askVitals()
    }

    private func askVitals() {
        for (index, connection) in connections.enumerated() {
            let handle = connection.handle
            let loopIndex = connectionLoops.firstIndex { $0 === handle.loop } ?? index
            handle.perform { [inbox] connection in
                let statistics = connection.statistics(onLoop: loopIndex)
                inbox.perform { $0.received(statistics) }
            }
        }
    }

    private func received(_ statistics: ConnectionStatistics) {
        guard connections.contains(where: { $0.handle.number == statistics.number }) else { return }
        watch.received(statistics)
    }

    private func check() {
        checks.timer = nil
        guard !ending.isOn else { return }
        let counts = intake.counts
        let now = timing.now()
        let decision = watch.check(queued: counts.queued + counts.waiting, now: now)
        published.view = view(counts)
        published.readAhead = watch.readAhead(streamsPerConnection: streamsPerConnection)
        if decision.isResized { resize() }
        if let retired = decision.retired { retire(retired) }
        // The reports of the connections are one check old: a connection that was woken since then may have work.
        let mayRest = decision.isAtRest && !checks.isWoken && !state.isHalted(now: now)
        checks.isWoken = false
        // A change of the number of connections has already scheduled the next check.
        guard !mayRest, checks.timer == nil else { return }
        scheduleWatch(after: decision.isIdle ? PoolWatch.idlePause : PoolWatch.pause)
    }

    private func view(_ counts: (queued: Int, bytes: Int, waiting: Int)) -> PoolView {
        PoolView(
            watch: watch, queued: counts.queued, waitingForRoom: counts.waiting,
            bound: (intake.bound.count, intake.bound.bytes),
            streamsPerConnection: streamsPerConnection,
            haltMessage: state.isHalted(now: timing.now()) ? haltMessage : nil,
            whyItWaits: lastFailure.map { Self.withoutPeriod($0.description) } ?? whyItWaits.1)
    }

    private static func withoutPeriod(_ sentence: String) -> String {
        String(sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...])
    }

    /// Changes the maximum number of connections. Those above it finish their requests, and close. With 0, all do, and the next
    /// notification opens one.
    func limit(to maximum: Int) {
        guard !ending.isOn else { return }
        watch.growth.limit(to: max(maximum, 1))
        if maximum == 0 {
            state.size = 0
            drainSurplus()
        }
        if state.size != watch.growth.wanted { resize() }
    }

    /// Sets the number of connections to the wanted number.
    func resize() {
        let now = watch.growth.wanted
        logger.info("connections", metadata: ["wanted": "\(now)", "before": "\(state.size)"])
        state.size = now
        drainSurplus()
        goOn()
    }

    /// Closes the connections that are more than the wanted number.
    func drainSurplus() {
        for number in state.takeSurplus() { drain(number) }
    }

    private func retire(_ number: Int) {
        logger.notice(
            "a connection is much slower than the others; it is replaced", metadata: ["connection": "\(number)"])
        connections.first { $0.handle.number == number }?.handle.perform { $0.leaveForAnotherAddress() }
    }

    private func drain(_ number: Int) {
        connections.first { $0.handle.number == number }?.handle.perform { $0.drain() }
    }

    /// A further connection failed to open. The others continue without it for a while.
    func openingFailed() {
        let serving = state.phases.count(.serving)
        watch.growth.openingFailed(serving: serving, now: timing.now(), chance: .random(in: 0...1))
        state.size = watch.growth.wanted
        drainSurplus()
    }

    /// Requests a reading from each connection. The readings come later, through ``MetricsSampler/add(_:from:)``.
    func askForReadings() {
        for handle in connections.map(\.handle) {
            let number = handle.number
            handle.perform { [inbox] connection in
                connection.read { reading in
                    inbox.perform { $0.sampler?.add(reading, from: number) }
                }
            }
        }
    }
}
