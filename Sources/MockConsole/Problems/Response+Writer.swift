internal import HTTPTypes
internal import Hummingbird
import MockAPNs
package import PushHTTP
import PushJSON
internal import PushPlatform
package import VirtualPhones

extension Response {
    /// An answer with JSON that a closure writes.
    init(status: HTTPResponse.Status = .ok, json write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        self.init(writer.bytes, type: "application/json", status: status)
    }

    /// An answer with an object, whose members a closure writes.
    static func object(status: HTTPResponse.Status = .ok, _ members: (inout JSONWriter) -> Void) -> Response {
        Response(status: status) { $0.object(members) }
    }

    /// An answer with a file.
    init(_ bytes: [UInt8], type: String, fileName: String) {
        self.init(bytes, type: type)
        headers[.contentDisposition] = "attachment; filename=\"\(fileName)\""
    }

    /// A page of a list.
    ///
    /// - Parameters:
    ///   - found: All entries after the cursor.
    ///   - limit: The maximum number in the answer.
    ///   - cursor: What `next` is made of.
    ///   - more: Writes further members.
    ///   - write: Writes an entry.
    /// - Returns: The answer.
    static func list<Entry>(
        _ found: [Entry], limit: Int = .max, cursor: (Entry) -> String = { _ in "" },
        more: (inout JSONWriter) -> Void = { _ in }, write: (inout JSONWriter, Entry) -> Void
    ) -> Response {
        let page = found.prefix(limit)
        return .object { writer in
            writer.member("items") { $0.array(page, write) }
            writer.member("next") { writer in
                if found.count > limit, let last = page.last {
                    writer.string(cursor(last))
                } else {
                    writer.null()
                }
            }
            more(&writer)
        }
    }
}

extension PhoneProfileError: ProblemError {
    /// A profile of a phone with a mistake.
    package var problem: APIProblem {
        .invalid(
            message, code: "invalid_profile", field: field, at: location,
            remedy: remedy ?? "See how to write a profile: \(Documentation.address(of: "docs/phones.md#profiles"))")
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
        return .invalid(
            description, code: "impossible_fault",
            remedy: "See what a fault can be: \(Documentation.address(of: "docs/mock-api.md#failure-injection"))")
    }
}
