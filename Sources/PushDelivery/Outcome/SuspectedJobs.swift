internal import PushPlatform
package import PushQueue

/// The jobs that wait because the device tokens of their app seemed not to fit its setup.
package enum SuspectedJobs {
    /// The number of jobs that are read at once.
    private static let pageSize = 500

    /// Cancels them.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - queue: The queue.
    ///   - audit: What the steps note.
    ///   - whenFurther: Called after each job that was looked at, and after each page: there can be millions.
    /// - Returns: How many were cancelled.
    /// - Throws: `QueueError`, or `CancellationError`.
    package static func cancel(
        of app: String, in queue: any QueueBackend, audit: QueueAudit, whenFurther: @Sendable () -> Void = {}
    ) async throws -> Int {
        var (count, audit) = (0, audit)
        for state in [QueueJobState.waiting, .held] {
            var query = QueueJobQuery(app: app, filter: .state(state), limit: pageSize)
            repeat {
                let page = try await queue.jobs(query)
                var ids: [UUID] = []
                for job in page.items where job.attempts > 0 {
                    if try await isSuspected(job, queue) { ids.append(job.id) }
                    whenFurther()
                }
                let isLast = state == .held && page.next == nil
                count += try await queue.cancel(ids, app: app, isLast: isLast, &audit)
                query.after = page.next
                whenFurther()
                try Task.checkCancellation()
            } while query.after != nil
        }
        return count
    }

    /// Whether the last try of a job was such a rejection.
    private static func isSuspected(_ job: QueueJobRecord, _ queue: any QueueBackend) async throws -> Bool {
        let history = try await queue.history(of: job.id, app: job.app) ?? []
        return history.last { $0.kind == .retried }?.detail == AppCorrection.Kind.mismatch.rawValue
    }
}
