import Foundation
import MockRun
import PushCampaign
import PushProvider

/// A campaign of a CSV file: check it, send it, continue it. The samples are those of PushCampaign's documentation.
enum CampaignFromFile {
    /// - Parameter client: The client that sends the lines.
    /// - Throws: An error if an outcome is not the expected one.
    static func run(through client: PushClient) async throws {
        let csv = """
            token,ref,name,points
            5f3ad1c07b9e42865f3ad1c07b9e42865f3ad1c07b9e42865f3ad1c07b9e4286,17,Ann,120
            0badc0de0badc0de0badc0de0badc0de0badc0de0badc0de0badc0de0badc0de,18,Ben,
            5f3ad1c07b9e42865f3ad1c07b9e42865f3ad1c07b9e42865f3ad1c07b9e428,19,Zoe,7

            """
        try csv.write(toFile: "people.csv", atomically: true, encoding: .utf8)
        let now = Date.now

        let files = ["people.csv"]
        let json = Array(#"{"aps": {"alert": "Hello {{name|there}}", "badge": "{{points:number|0}}"}}"#.utf8)
        let defaults = BatchDefaults(topic: "com.example.app", template: try PayloadTemplate(json: json))

        let checked = try await PushBatch.check(files: files, defaults, now: now)
        for mistake in checked.mistakes {
            print("\(files[mistake.file]):\(mistake.line): \(mistake.message)")
        }
        try check(checked.lines == 3 && checked.invalid == 1, "one line is invalid: \(checked.mistakes)")

        let first = try await send(files, json, defaults, through: client, now: now)
        try check(first.accepted == 2 && first.invalid == 1, "two lines are accepted: \(first)")
        let second = try await send(files, json, defaults, through: client, now: now)
        try check(second.before == 3 && second.concluded == 0, "no line is left: \(second)")
    }

    private static func send(
        _ files: [String], _ json: [UInt8], _ defaults: BatchDefaults, through client: PushClient,
        now: Date
    ) async throws -> BatchSummary {
        var facts = try PushBatch.facts(ofFiles: files)
        facts.append(PushCampaignFact("payload", digestOf: json, "the payload"))
        facts.append(PushCampaignFact("topic", defaults.topic, "the topic"))
        let folder = try BatchFolder("people.csv.pushsend", facts: facts)

        var options = BatchOptions()
        options.rate = 500
        options.maximumErrors = 1000
        let batch = PushBatch(
            files: files, defaults, through: client, folder: folder, options: options, now: now)
        let summary = try await batch.run { results, summary in
            for result in results { print(result) }
            print("\(summary.concluded) lines so far")
        }
        if let stop = summary.stop { print("Stopped: \(stop.description)") }
        return summary
    }
}
