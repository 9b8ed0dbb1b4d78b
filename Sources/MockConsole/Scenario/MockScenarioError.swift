import MockAPNs
import PushHTTP
import PushJSON

/// Why a scenario cannot be played.
public struct MockScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line and the column, from 1; `nil` if the mistake has no position.
    public let line: Int?
    /// The column, from 1.
    public let column: Int?
    /// What is wrong and what to do, in sentences, without the position.
    public let description: String

    init(_ problem: APIProblem) {
        line = problem.position?.line
        column = problem.position?.column
        let field = problem.field.flatMap { $0.isEmpty ? nil : "\($0): " } ?? ""
        description = field + [problem.detail, problem.remedy].compactMap(\.self).joined(separator: " ")
    }

    init(_ error: JSONTextError) {
        line = error.position.line
        column = error.position.column
        description = [error.message, error.remedy].compactMap(\.self).joined(separator: " ")
    }

    static func from(_ error: any Error) -> MockScenarioError {
        switch error {
        case let error as APIProblem: MockScenarioError(error)
        case let error as JSONTextError: MockScenarioError(error)
        default: MockScenarioError(.invalid("The scenario can't be played."))
        }
    }
}
