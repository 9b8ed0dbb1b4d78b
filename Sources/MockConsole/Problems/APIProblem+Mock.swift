internal import HTTPTypes
import MockAPNs
package import PushHTTP
package import VirtualPhones

extension PhoneProfileError: ProblemError {
    /// A profile of a phone with a mistake.
    package var problem: APIProblem {
        .invalid(
            message, code: "invalid_profile", field: field, at: location,
            remedy: remedy ?? "docs/phones.md describes profiles.")
    }
}

extension PhoneActionError: ProblemError {
    /// An action that cannot be performed on a phone.
    package var problem: APIProblem {
        let status: HTTPResponse.Status =
            switch code {
            case .neverShown, .noPhone, .noApp: .notFound
            case .notShown: .conflict
            case .incomplete: .badRequest
            default: .unprocessableContent
            }
        return APIProblem(status: status, code: code.name, detail: message, remedy: remedy)
    }
}

extension MockFaultError: ProblemError {
    /// A fault that the mock does not take.
    package var problem: APIProblem {
        if code == .tooMany {
            return APIProblem(
                status: .tooManyRequests, code: "too_many_faults", detail: description,
                remedy: "DELETE /v1/faults removes all of them.")
        }
        return .invalid(description, code: "impossible_fault", remedy: "docs/faults.md describes all faults.")
    }
}
