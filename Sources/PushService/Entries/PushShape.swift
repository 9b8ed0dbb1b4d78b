import APNSVocabulary
import PushHTTP
import PushJSON
import PushLint
import PushProvider

/// What a push of the API looks like, for those who send something else.
enum PushShape {
    static let sentence = "A push is {\"token\":\"...\",\"payload\":{\"aps\":{\"alert\":\"Hello\"}}}."

    /// The maximum size of an object that is compared with the formats of other services, in bytes. A larger one is only refused.
    private static let longest = 16 << 10

    /// Explains an unknown member by the format of another service, or a payload that is not in a push; otherwise leaves the problem.
    static func explaining(_ problem: APIProblem, _ tree: JSONTree, _ node: Int) -> APIProblem {
        guard problem.code == "unknown_member", tree.range(of: node).count <= longest else { return problem }
        var explained = problem
        if tree.member("aps", of: node) != nil {
            explained.remedy = "Put the payload into \"payload\". \(sentence)"
            return explained
        }
        if problem.field?.hasSuffix("/store") == true {
            explained.remedy = "Write \"once\": true instead of \"store\": false."
            return explained
        }
        let findings = PayloadLint.findings(in: Array(tree.bytes[tree.range(of: node)]), LintContext(pushType: .alert))
        guard let finding = findings.first(where: { $0.rule == "foreign-form" }) else { return problem }
        explained.detail += " \(finding.problem)"
        explained.remedy = "\(finding.advice) \(sentence)"
        return explained
    }
}

/// Where JSON of a request stands, for problems with it.
enum JSONPlace {
    case object
    case pushes
    /// A line of a stream, which is a push.
    case line
    case payload

    private var noun: String {
        switch self {
        case .object, .pushes: "body"
        case .line: "line"
        case .payload: "payload"
        }
    }

    /// The problem in the words of the place. The reader knows only payloads.
    func detail(_ mistake: JSONMistake) -> String {
        mistake.sentence(of: noun)
    }

    func remedy(_ mistake: JSONMistake) -> String {
        switch (mistake.kind, self) {
        case (.textAfterEnd, .line):
            "Write each push on its own line. With curl, send the file with --data-binary @FILE: -d removes the line ends."
        case (.textAfterEnd, .pushes):
            "Send several pushes as an array, or as lines with content-type: application/x-ndjson and --data-binary @FILE of curl."
        case (.empty, .object), (.missingBraces, .object): "Send a JSON object: {...}."
        case (_, .payload): mistake.advice
        case (.empty, _), (.missingBraces, _), (.quotedPayload, .line), (.quotedPayload, .pushes):
            mistake.kind == .quotedPayload ? "\(mistake.advice) \(PushShape.sentence)" : PushShape.sentence
        // An example of a payload is not one of what belongs here.
        case (_, .object) where mistake.advice.contains("{\"aps\""): "Send a JSON object: {...}."
        case (_, _) where mistake.advice.contains("{\"aps\""): PushShape.sentence
        default: mistake.advice.replacing("payload", with: noun)
        }
    }
}
