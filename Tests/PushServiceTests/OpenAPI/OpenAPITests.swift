import Foundation
import HTTPTypes
import PushHTTP
import PushJSON
import PushQueue
import TestSupport
import Testing

@testable import PushCampaign
@testable import PushService

@Suite struct OpenAPITests {
    private struct Operation {
        var method: String
        var path: String
        var value: PushJSONValue
    }

    private let document = PushJSONValue(json: WebPage.service.document.bytes) ?? .null

    private var operations: [Operation] {
        members(document["paths"]).flatMap { path, methods in
            members(methods).map { Operation(method: $0.uppercased(), path: path, value: $1) }
        }
    }

    private let routes = ServiceAPI.routes.routes

    private func members(_ value: PushJSONValue?) -> [String: PushJSONValue] {
        guard case .object(let members)? = value else { return [:] }
        return members
    }

    private func array(_ value: PushJSONValue?) -> [PushJSONValue] {
        guard case .array(let items)? = value else { return [] }
        return items
    }

    private func resolved(_ value: PushJSONValue) -> PushJSONValue {
        guard let reference = value.string("$ref") else { return value }
        return reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
    }

    @Test func `the document describes exactly the routes that there are`() {
        #expect(document != .null)
        #expect(
            Set(operations.map { "\($0.method) \($0.path)" }) == Set(routes.map { "\($0.method.rawValue) \($0.path)" }))
    }

    @Test func `each operation has the parameters of its route`() {
        for operation in operations {
            guard
                let route = routes.first(where: { $0.path == operation.path && $0.method.rawValue == operation.method })
            else { continue }
            let parameters = array(operation.value["parameters"]).map(resolved)
            func names(_ location: String) -> Set<String> {
                Set(parameters.filter { $0.string("in") == location }.compactMap { $0.string("name") })
            }
            #expect(names("query") == Set(route.query), "\(operation.method) \(operation.path)")
            let inPath = operation.path.matches(of: /\{([a-z]+)\}/).map { String($0.output.1) }
            #expect(names("path") == Set(inPath), "\(operation.path)")
        }
    }

    @Test func `each operation has a name of its own, and says whether it needs a key`() throws {
        var names: Set<String> = []
        for operation in operations {
            let route = routes.first { $0.path == operation.path && $0.method.rawValue == operation.method }
            #expect(names.insert(try #require(operation.value.string("operationId"))).inserted)
            #expect(operation.value.string("summary")?.isEmpty == false)
            #expect((operation.value["security"] == .array([])) == (route?.scope == nil))
            // A session has its own way to be refused.
            let isRefused = route?.scope != nil || operation.path == "/v1/session"
            #expect((operation.value["responses"]?["401"] != nil) == isRefused, "\(operation.method) \(operation.path)")
            #expect(operation.value["responses"]?["421"] != nil)
        }
    }

    @Test func `every reference exists`() {
        var references: Set<String> = []
        func visit(_ value: PushJSONValue) {
            if let reference = value.string("$ref") { references.insert(reference) }
            members(value).values.forEach(visit)
            array(value).forEach(visit)
        }
        visit(document)
        #expect(!references.isEmpty)
        for reference in references { #expect(resolved(["$ref": .string(reference)]) != .null, "\(reference)") }
    }

    @Test func `generators find a group for each operation, a model of a push, and JSON for lines`() {
        let tags = Set(array(document["tags"]).compactMap { $0.string("name") })
        for operation in operations {
            let own = array(operation.value["tags"])
            #expect(
                own.count == 1
                    && own.allSatisfy { if case .string(let name) = $0 { tags.contains(name) } else { false } })
        }
        let push = document["components"]?["schemas"]?["NewNotification"]
        #expect(push?.string("type") == "object" && push?["oneOf"] == nil)
        let lines = document["paths"]?["/v1/campaigns/{id}/lines"]?["post"]?["requestBody"]?["content"]
        #expect(lines?["application/json"]?["schema"]?["items"] != nil)
    }

    @Test func `the document has the limits of the service`() {
        let limit = document["components"]?["parameters"]?["limit"]?["schema"]
        #expect(limit?["maximum"] == .integer(PageLength.greatest) && limit?["default"] == .integer(PageLength.normal))
        for operation in operations where operation.path == "/v1/campaigns/{id}/lines" {
            let from = array(operation.value["parameters"]).first { $0.string("name") == "from" }
            #expect(from?["schema"]?["maximum"] == .integer(Int(QueueCampaignLine.greatestNumber)))
        }
    }

    @Test func `a push has the members that the service knows`() {
        let schema = document["components"]?["schemas"]?["NewNotification"]
        #expect(Set(members(schema?["properties"]).keys) == Set(EntryReader.known))
        let line = document["components"]?["schemas"]?["NewCampaignLine"]
        // The service makes the ids.
        let ofLines = Set(RowFields.Name.allCases.map(\.text)).subtracting(["apns_id"])
        #expect(Set(members(line?["properties"]).keys) == ofLines)
    }
}
