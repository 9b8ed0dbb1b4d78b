import PushPlatform
import PushQueue

/// Jobs of apps that are not in the configuration, because they were renamed or removed. They are not sent.
enum LeftOverJobs {
    /// The apps that have unfinished jobs and are not configured, with the numbers of jobs, in the order of the names.
    static func find(_ counts: [String: QueueCounts], configured: Set<String>) -> [(app: String, jobs: Int)] {
        counts.map { (app: $0.key, jobs: $0.value.unfinished) }
            .filter { $0.jobs > 0 && !configured.contains($0.app) }
            .sorted { $0.app < $1.app }
    }

    /// What is wrong, in a sentence.
    static func fact(_ app: String, _ jobs: Int) -> String {
        "\(counted(jobs, "job waits", "jobs wait")) for the app \"\(app)\", which is not in the configuration."
    }

    /// What to do.
    static func remedy(_ app: String) -> String {
        "Configure the app again under this name, or cancel its jobs: pushserve queue cancel --all --app \(app)"
    }
}
