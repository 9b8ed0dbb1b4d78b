internal import PushCampaign
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// What is checked before a campaign sends: all lines, its placeholders, and whether production is meant.
struct CampaignCheck: Sendable {
    let plan: CampaignPlan

    /// Reads all lines, reports which could not be sent, and ends the process.
    func run(with credentials: PushCredentials?) async throws {
        let (result, interrupted) = await Interrupt.cancelling { () async -> Result<BatchCheck, any Error> in
            do {
                return .success(
                    try await PushBatch.check(
                        files: plan.files, format: plan.options.format?.format, plan.defaults,
                        sample: plan.options.sample?.sample,
                        lints: !plan.options.noLint, with: credentials, to: plan.target.environment,
                        now: Date(timeIntervalSince1970: Double(plan.now))))
            } catch {
                return .failure(error)
            }
        }
        if interrupted { Output.exit(.interrupted) }
        let check = try result.get()
        print(check)
        Output.exit(check.lines == 0 || unsendable(check) > 0 ? .invalidInput : .success)
    }

    private func print(_ check: BatchCheck) {
        for mistake in check.mistakes { Output.complain(CampaignText.mistake(mistake, in: plan.files)) }
        var findings = CampaignFindings(files: plan.files, reportedRules: plan.reportedRules)
        // Errors were already reported with the lines that cannot be sent.
        for line in findings.unreported(of: check.findings.filter { $0.finding.severity != .error }) {
            Output.note(line)
        }
        if plan.options.report != nil || plan.options.results != nil {
            Output.note("A dry run has no results: --report and --results have no effect.")
        }
        let misspelt = misspelt(check)
        if let misspelt { Output.complain("\(misspelt.description) If you mean it, give --no-lint.") }
        for placeholder in check.unfilled where placeholder != misspelt { Output.note(placeholder.description) }
        if check.unlisted > 0 { Output.complain("\(CampaignText.lines(check.unlisted)) more can't be sent.") }
        guard plan.options.json else {
            guard check.lines > 0 else { return Output.complain(CampaignText.noLines(in: plan.files)) }
            if let sample = check.sample {
                Output.print("The first: \(String(decoding: sample.payload.bytes, as: UTF8.self))")
            }
            Output.print(
                """
                \(CampaignText.lines(check.lines)), \(CampaignText.grouped(unsendable(check))) of them can't be sent. The \
                largest payload is \(check.largestPayload) bytes. Nothing was sent.
                """)
            if let message = duplicates(check) { Output.print(message) }
            if let message = Self.replacing(check) { Output.print(message) }
            return
        }
        var line: JSONLine = [
            "outcome": "dry_run", "lines": .integer(check.lines), "invalid": .integer(unsendable(check)),
            "duplicates": .integer(check.duplicates), "replacing": .integer(check.replacing),
            "largest_payload": .integer(check.largestPayload),
        ]
        if !check.unfilled.isEmpty { line["unfilled"] = .array(check.unfilled.map { .string($0.description) }) }
        if !check.findings.isEmpty { line["findings"] = CampaignFindings.json(check.findings, files: plan.files) }
        Output.print(line.text)
    }

    /// What happens to lines with the device token of an earlier line; `nil` when there are none.
    private func duplicates(_ check: BatchCheck) -> String? {
        guard check.duplicates > 0 else { return nil }
        let lines = "\(CampaignText.lines(check.duplicates)) \(check.duplicates == 1 ? "has" : "have")"
        let what =
            plan.options.skipDuplicates
            ? "--skip-duplicates leaves \(check.duplicates == 1 ? "it" : "them") out"
            : "without --skip-duplicates, such a device gets the push more than once"
        return "\(lines) the device token of an earlier line: \(what)."
    }

    /// What happens to lines that replace each other on their device; `nil` when there are none.
    private static func replacing(_ check: BatchCheck) -> String? {
        guard check.replacing > 0 else { return nil }
        return """
            \(CampaignText.lines(check.replacing)) replace each other: a device shows only the last one with the same collapse id. \
            If one has to be retried after a later one was sent, it ends as superseded.
            """
    }

    /// The misspelt placeholder for which a campaign with these lines is refused; `nil` if there is none.
    private func misspelt(_ check: BatchCheck) -> UnfilledPlaceholder? {
        plan.options.noLint ? nil : check.unfilled.first { $0.suggestion != nil }
    }

    /// How many lines cannot be sent. Because of a misspelt placeholder, no line is.
    private func unsendable(_ check: BatchCheck) -> Int { misspelt(check) == nil ? check.invalid : check.lines }

    /// Refuses a campaign in which a placeholder is misspelt, because its default would be sent to everybody, and notes other
    /// placeholders without values. The first lines show it.
    func refuseMisspelt() async throws {
        guard let template = plan.defaults.template, template.names.count > template.namesWithoutDefault.count,
            !plan.options.noLint, FileMark(path: "\(plan.folder)/journal")?.isEmpty != false,
            plan.files.allSatisfy({ PushBatch.canBeReadAgain($0) })
        else { return }
        var check = try await checkPlaceholders(in: .first(Self.linesForPlaceholders))
        if misspelt(check) != nil, check.lines == Self.linesForPlaceholders {
            check = try await checkPlaceholders(in: nil)
        }
        if let misspelt = misspelt(check) {
            throw CommandFailure(
                .invalidInput, "\(misspelt.description) Nothing was sent. If you mean it, give --no-lint.")
        }
        for placeholder in check.unfilled { Output.note(placeholder.description) }
    }

    private func checkPlaceholders(in sample: BatchSample?) async throws -> BatchCheck {
        try await PushBatch.check(
            files: plan.files, format: plan.options.format?.format, plan.defaults, sample: sample, lints: false,
            comparesLines: false, now: Date(timeIntervalSince1970: Double(plan.now)))
    }

    /// The number of lines that show whether a placeholder ever has a value.
    private static let linesForPlaceholders = 1000

    /// Asks a user to confirm sending to production. A script must give a flag instead.
    func askForProduction(with credentials: PushCredentials?) async throws {
        guard plan.target.environment.appleService == .production, !plan.options.yes else { return }
        // A pipe can be read only once: for the number in the question, or for sending.
        guard Prompt.isPossible, plan.files.allSatisfy({ PushBatch.canBeReadAgain($0) }) else {
            throw CommandFailure.usage("This campaign goes to production: give --yes to confirm.")
        }
        let check = try await PushBatch.check(
            files: plan.files, format: plan.options.format?.format, plan.defaults, sample: plan.options.sample?.sample,
            lints: !plan.options.noLint, comparesLines: false, with: credentials,
            now: Date(timeIntervalSince1970: Double(plan.now)))
        // After an earlier run, or with duplicate tokens, fewer lines are sent. The lines of a random sample are not
        // known yet.
        let isMost = plan.options.skipDuplicates || FileMark(path: "\(plan.folder)/journal")?.isEmpty == false
        let count = (isMost ? "up to " : "") + CampaignText.grouped(check.lines - check.invalid)
        let topic = plan.defaults.topic.isEmpty ? "the topics of the lines" : plan.defaults.topic.printable
        let question = "Send \(count) \(count == "1" ? "notification" : "notifications") to \(topic), production?"
        let isMeant: Bool
        do {
            isMeant = try Prompt.ask("Type yes to send them", hint: question) { answer in
                if answer.lowercased() == "y" { throw CommandFailure.usage("Type the whole word: yes.") }
                return answer.lowercased() == "yes"
            }
        } catch is Prompt.Unanswered {
            isMeant = false
        }
        if !isMeant { throw CommandFailure(.interrupted, "Nothing was sent.") }
    }
}
