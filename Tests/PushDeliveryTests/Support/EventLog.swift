import NIOConcurrencyHelpers
import PushDelivery
import PushPlatform
import PushQueue
import TestSupport

/// Everything that an engine reports.
final class EventLog: DeliveryObserver {
    let events = Watched<[DeliveryEvent]>([])
    let statuses = Watched<[AppStatus]>([])

    func ended(_ event: DeliveryEvent) {
        events.change { $0.append(event) }
    }

    func changed(_ status: AppStatus) {
        statuses.change { $0.append(status) }
    }

    /// The outcomes of jobs, as soon as all of them have one.
    func outcomes(of jobs: [UUID]) async throws -> [QueueJobOutcome] {
        let wanted = Set(jobs)
        let events = try await events.wait(for: "outcomes of \(jobs.count) jobs") { events in
            Set(events.filter(\.isFinished).map(\.job)).isSuperset(of: wanted)
        }
        var outcomes: [UUID: QueueJobOutcome] = [:]
        for event in events { if case .finished(let outcome) = event.result { outcomes[event.job] = outcome } }
        return jobs.compactMap { outcomes[$0] }
    }

    func outcome(of job: UUID) async throws -> QueueJobOutcome? {
        try await outcomes(of: [job]).first
    }

    /// Waits until a job has been kept for a later try a number of times. Returns the reasons.
    func waits(of job: UUID, count: Int = 1) async throws -> [String] {
        let events = try await events.wait(for: "\(count) waits of a job") { $0.waits(of: job).count >= count }
        return events.waits(of: job)
    }

    /// Waits until an app has a state.
    @discardableResult
    func state(_ state: AppStatus.State, of app: String = "shop") async throws -> AppStatus? {
        try await statuses.wait(for: "\(state)") { $0.last { $0.name == app }?.state == state }
            .last { $0.name == app }
    }
}

extension [DeliveryEvent] {
    fileprivate func waits(of job: UUID) -> [String] {
        compactMap { event in
            guard event.job == job, case .waiting(let reason) = event.result else { return nil }
            return reason
        }
    }
}

extension DeliveryEvent {
    var isFinished: Bool {
        if case .finished = result { true } else { false }
    }
}
