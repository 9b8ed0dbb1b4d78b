import APNSVocabulary
import ArgumentParser

extension CommandFailure {
    /// Creates a failure of one line from an error in the command line; `nil` for a request such as `--help`.
    init?(parsing error: any Error) {
        guard Pushserve.exitCode(for: error) == .validationFailure else { return nil }
        let lines = Pushserve.fullMessage(for: error).split(separator: "\n")
        let problem = Pushserve.message(for: error)
        let more = lines.last { $0.hasPrefix("  See ") }.map { String($0.dropFirst(2)) }
        // "The value 'x' is invalid for '<id>': " and what the command says about it.
        if problem.hasPrefix("The value '"), let end = problem.firstRange(of: ">': ") {
            self = .usage([String(problem[end.upperBound...]), more].compactMap(\.self).joined(separator: " "))
            return
        }
        // "Help:  --ttl <duration>  When the new jobs expire."
        let help = lines.first { $0.hasPrefix("Help:  ") }?.dropFirst("Help:  ".count)
        let explanation = help?.firstRange(of: "  ").map { String(help?[$0.upperBound...] ?? "") }
        let sentence = problem.hasSuffix(".") || problem.hasSuffix("?") ? problem : problem + "."
        self = .usage([sentence, explanation, more].compactMap(\.self).joined(separator: " "))
    }
}
