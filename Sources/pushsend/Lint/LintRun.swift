import PushCommandLine
internal import PushLint
import PushPlatform
import PushProvider

/// Checks payloads in order, and prints the findings.
struct LintRun {
    /// The known properties of the request.
    var context: LintContext
    var format: FindingFormat
    /// Whether to make the certain corrections.
    var mends: Bool
    /// Whether warnings count as errors.
    var isStrict: Bool

    private struct Count {
        var payloads = 0
        var errors = 0
        var warnings = 0
        var mended = 0
        var status = ExitStatus.success
    }

    /// Checks the files, folders and standard input that the arguments name.
    ///
    /// - Returns: The exit code.
    func run(_ arguments: [String]) -> ExitStatus {
        var count = Count()
        for source in PayloadSource.sources(arguments) {
            do {
                try check(source, &count)
            } catch {
                let failure = CommandFailure.from(error)
                Output.complain(failure.message)
                count.status = max(count.status, failure.status)
            }
        }
        // A missing file takes precedence over findings.
        let isBad = count.errors > 0 || isStrict && count.warnings > 0
        if isBad, count.status == .success { count.status = .invalidInput }
        if format == .text, count.payloads > 0 { Output.note(summary(count)) }
        return count.status
    }

    private func check(_ source: PayloadSource, _ count: inout Count) throws {
        switch source {
        case .missing(let message): throw CommandFailure(.noSuchFile, message)
        case .standardInput:
            let bytes = try StandardInput.read()
            if mends, bytes.count > StandardInput.maximumBytes {
                throw CommandFailure(
                    .invalidInput,
                    """
                    Standard input is larger than any payload. It wasn't read completely, and nothing was written.
                    """)
            }
            show(corrected: LintedPayload(name: "stdin", bytes: bytes, isCorrectedToOutput: true), &count)
        case .text(let text):
            show(corrected: LintedPayload(name: "payload", bytes: Array(text.utf8), isCorrectedToOutput: true), &count)
        case .file(let path):
            let payload = LintedPayload(name: path, bytes: try PayloadFile.read(path))
            if MistakenPayload.isKeyOrCertificate(payload.bytes) {
                throw CommandFailure(
                    .invalidInput, "\"\(path)\" is a key or a certificate, not a payload: use \"pushsend inspect\".")
            }
            try check(payload, &count) { try PayloadFile.replace(path, with: $0, insteadOf: payload.bytes) }
        }
    }

    /// The corrected payload is written to standard output, the findings to standard error.
    private func show(corrected payload: LintedPayload, _ count: inout Count) {
        check(payload, &count) { Output.offer(json: $0) }
    }

    private func check(
        _ payload: LintedPayload, _ count: inout Count, write: ([UInt8]) throws -> Void
    ) rethrows {
        count.payloads += 1
        guard mends else {
            return report(payload.templateFindings(context), of: payload, &count)
        }
        let (new, mended) = payload.repaired(context)
        try write(new.bytes)
        for finding in mended { show(FindingReport(finding, payload, wasMended: true), payload) }
        count.mended += mended.count
        report(new.templateFindings(context), of: new, &count)
    }

    private func report(_ findings: [PushFinding], of payload: LintedPayload, _ count: inout Count) {
        for finding in findings {
            switch finding.severity {
            case .error: count.errors += 1
            case .warning: count.warnings += 1
            case .note: break
            }
            show(FindingReport(finding, payload), payload)
        }
    }

    private func show(_ report: FindingReport, _ payload: LintedPayload) {
        let isInPipe = mends && payload.isCorrectedToOutput
        let hasColours = isInPipe ? Output.notesHaveColours : Output.resultsHaveColours
        let text =
            switch format {
            case .text: report.text(colours: hasColours)
            case .json: report.line.text
            case .github: report.workflowCommand
            }
        if isInPipe { Output.note(painted: text) } else { Output.print(painted: text) }
    }

    private func summary(_ count: Count) -> String {
        let parts = [
            count.errors > 0 ? counted(count.errors, "error") : nil,
            count.warnings > 0 ? counted(count.warnings, "warning") : nil,
            count.mended > 0 ? "\(count.mended) fixed" : nil,
        ].compactMap(\.self)
        let found = parts.isEmpty ? "no errors, no warnings" : parts.joined(separator: ", ")
        return "\(counted(count.payloads, "payload")): \(found)"
    }
}

enum PayloadSource: Hashable {
    case file(String)
    case standardInput
    case text(String)
    /// A folder without payloads, or a file that does not exist, with the message about it.
    case missing(String)

    /// Returns the sources that the arguments name. A folder means all `.json` and `.apns` files in it and its subfolders, sorted
    /// by name. Hidden files, pipes and devices are skipped, and links to folders are not followed.
    static func sources(_ arguments: [String]) -> [PayloadSource] {
        arguments.flatMap { argument -> [PayloadSource] in
            if argument == "-" { return [.standardInput] }
            // As for --payload.
            if argument.drop(while: \.isWhitespace).hasPrefix("{") { return [.text(argument)] }
            var isFolder = false
            guard FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder) else {
                if argument.hasPrefix("[") || argument.hasPrefix("\"") { return [.text(argument)] }
                return [.missing("There is no file \"\(argument)\".")]
            }
            guard isFolder else { return [.file(argument)] }
            let found = payloads(in: argument)
            return found.isEmpty
                ? [.missing("There is no .json or .apns file in the folder \"\(argument)\".")] : found.map { .file($0) }
        }
    }

    /// The maximum depth of subfolders. Deeper ones are not read.
    private static let deepest = 20

    private static func payloads(in folder: String, depth: Int = 0) -> [String] {
        guard depth < deepest, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            return []
        }
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        return names.filter { !$0.hasPrefix(".") }.sorted().flatMap { name -> [String] in
            let path = "\(base)/\(name)"
            let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            if kind == .typeDirectory { return payloads(in: path, depth: depth + 1) }
            guard name.hasSuffix(".json") || name.hasSuffix(".apns") else { return [] }
            return FileKind(path: path).map { $0 == .file } ?? true ? [path] : []
        }
    }
}
