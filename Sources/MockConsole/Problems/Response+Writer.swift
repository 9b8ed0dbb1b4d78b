internal import HTTPTypes
internal import Hummingbird
import MockAPNs
package import PushHTTP
import PushJSON
internal import PushPlatform
package import VirtualPhones

extension Response {
    static func object(status: HTTPResponse.Status = .ok, _ members: (inout JSONWriter) -> Void) -> Response {
        var writer = JSONWriter()
        writer.object(members)
        return Response(writer.bytes, type: "application/json", status: status)
    }

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
    ///   - write: Writes the members of an entry.
    /// - Returns: The answer.
    static func list<Entry>(
        _ found: [Entry], limit: Int = .max, cursor: (Entry) -> String = { _ in "" },
        more: (inout JSONWriter) -> Void = { _ in }, write: (inout JSONWriter, Entry) -> Void
    ) -> Response {
        let page = found.prefix(limit)
        return .object { writer in
            writer.objects("items", page, write)
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

/// Members of the answers. What writes a value of a type writes its members, inside an object that the caller has begun.
extension JSONWriter {
    mutating func objects<Elements: Sequence>(
        _ name: String, _ elements: Elements, _ members: (inout JSONWriter, Elements.Element) -> Void
    ) {
        member(name) { writer in
            writer.array(elements) { writer, element in writer.object { members(&$0, element) } }
        }
    }

    mutating func object<Value>(_ name: String, of value: Value?, _ members: (inout JSONWriter, Value) -> Void) {
        if let value { object(name) { members(&$0, value) } }
    }

    mutating func member(_ name: String, _ texts: [String]) {
        member(name) { $0.array(texts) { $0.string($1) } }
    }
}

extension JSONTextError: ProblemError {
    /// A text that isn't YAML.
    package var problem: APIProblem {
        .invalid(message, code: "invalid_yaml", at: position, remedy: remedy)
    }
}

extension PhoneProfileError: ProblemError {
    package var problem: APIProblem {
        .invalid(
            message, code: "invalid_profile", field: field, at: location,
            remedy: remedy ?? "See how to write a profile: \(Documentation.address(of: "docs/phones.md#profiles"))")
    }
}

extension PhoneActionError: ProblemError {
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
