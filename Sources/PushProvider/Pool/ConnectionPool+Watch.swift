internal import Logging
internal import NIOCore

/// Checks the connections a few times per second, and opens or closes some.
extension ConnectionPool {
    /// Begins or speeds up the checks, because there may be something to do.
    func keepWatch() {
        isWoken = true
        guard !isShuttingDown, watchTimer == nil || watchIsIdle else { return }
        scheduleWatch(after: PoolWatch.pause)
    }

    private func scheduleWatch(after pause: Duration) {
        watchTimer?.cancel()
        watchIsIdle = pause == PoolWatch.idlePause
        watchTimer = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: pause)) { self.look() }
        askVitals()
    }

    private func askVitals() {
        for (index, handle) in connections.enumerated() {
            let loopIndex = connectionLoops.firstIndex { $0 === handle.loop } ?? index
            handle.perform { [inbox] connection in
                let vitals = connection.vitals(onLoop: loopIndex)
                inbox.perform { $0.heard(vitals) }
            }
        }
    }

    private func heard(_ vitals: ConnectionVitals) {
        guard connections.contains(where: { $0.number == vitals.number }) else { return }
        watch.heard(vitals)
    }

    private func look() {
        watchTimer = nil
        guard !isShuttingDown else { return }
        let counts = intake.counts
        let now = timing.now()
        let decision = watch.look(queued: counts.queued + counts.waiting, now: now, chance: .random(in: 0...1))
        published.diagnosis = view(counts).diagnosis
        published.readAhead = watch.readAhead(streamsPerConnection: streamsPerConnection)
        if decision.isResized { resize() }
        if let retired = decision.retired { retire(retired) }
        // The reports of the connections are one check old: a connection that was woken since then may have work.
        let mayRest = decision.isAtRest && !isWoken && !state.isHalted(now: now)
        isWoken = false
        // A change of the number of connections has already scheduled the next check.
        guard !mayRest, watchTimer == nil else { return }
        scheduleWatch(after: decision.isIdle ? PoolWatch.idlePause : PoolWatch.pause)
    }

    private func view(_ counts: (queued: Int, bytes: Int, waiting: Int)) -> PoolView {
        PoolView(
            figures: watch.figures, queued: counts.queued, waitingForRoom: counts.waiting,
            bound: (intake.bound.count, intake.bound.bytes),
            streamsPerConnection: streamsPerConnection,
            haltMessage: state.isHalted(now: timing.now()) ? haltMessage : nil,
            whyItWaits: lastFailure.map { Self.withoutPeriod($0.description) } ?? whyItWaits.1)
    }

    private static func withoutPeriod(_ sentence: String) -> String {
        String(sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...])
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
        connections.first { $0.number == number }?.perform { $0.leaveForAnotherAddress() }
    }

    private func drain(_ number: Int) {
        connections.first { $0.number == number }?.perform { $0.drain() }
    }

    /// A further connection failed to open. The others continue without it for a while.
    func openingFailed() {
        let serving = state.phases.values.count { $0 == .serving }
        watch.openingFailed(serving: serving, now: timing.now(), chance: .random(in: 0...1))
        state.size = watch.growth.wanted
        drainSurplus()
    }
}

extension ConnectionPool: MetricsSource {
    func queueReading() -> QueueFigures { intake.reading() }

    var connectionNumbers: [Int] { connections.map(\.number) }

    func askForReadings() {
        for handle in connections {
            let number = handle.number
            handle.perform { [inbox] connection in
                connection.read { reading in
                    inbox.perform { $0.sampler?.add(reading, from: number) }
                }
            }
        }
    }
}
