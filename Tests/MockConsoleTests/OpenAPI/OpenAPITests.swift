import HTTPTypes
import MockAPNs
import PushHTTP
import PushJSON
import Testing

@testable import MockConsole

@Suite struct OpenAPITests {
    @Test func `the document describes exactly the routes that there are`() async throws {
        let document = try LocatedJSON(json: WebPage.inbox.document.bytes)
        let paths = try #require(document["paths"]).members
        var described: Set<String> = []
        for path in paths {
            for operation in path.value.members { described.insert("\(operation.name.uppercased()) \(path.name)") }
        }
        let console = try await Console()
        let routes = console.api.routes.routes
        let names = routes.map { "\($0.method.rawValue) \($0.path)" }
        #expect(described == Set(names))
        #expect(names.count == Set(names).count)
        for route in routes {
            let operation = document[path: ["paths", route.path, route.method.rawValue.lowercased()]]
            let query = (operation?["parameters"]?.array ?? []).filter { $0["in"]?.string == "query" }
            #expect(Set(query.compactMap { $0["name"]?.string }) == Set(route.query), "\(route.method) \(route.path)")
            guard let limit = query.first(where: { $0["name"]?.string == "limit" })?["schema"] else { continue }
            #expect(limit["maximum"]?.integer == PageLength.greatest && limit["default"]?.integer == PageLength.normal)
        }
        await console.end()
    }

    @Test func `every operation has a name of its own and an answer for mistakes`() throws {
        let document = try LocatedJSON(json: WebPage.inbox.document.bytes)
        let paths = try #require(document["paths"]).members
        var names: Set<String> = []
        for path in paths {
            for operation in path.value.members {
                let name = try #require(operation.value["operationId"]?.string)
                #expect(names.insert(name).inserted)
                #expect(operation.value["summary"]?.string?.isEmpty == false)
                #expect(operation.value["responses"]?["421"] != nil)
            }
        }
    }

    @Test func `every reference in the document exists`() throws {
        let document = try LocatedJSON(json: WebPage.inbox.document.bytes)
        var references: Set<String> = []
        func visit(_ tree: LocatedJSON) {
            for member in tree.members {
                if member.name == "$ref", let text = member.value.string { references.insert(text) }
                visit(member.value)
            }
            tree.items.forEach(visit)
        }
        visit(document)
        #expect(!references.isEmpty)
        for reference in references {
            #expect(document[path: reference.split(separator: "/").dropFirst().map(String.init)] != nil, "\(reference)")
        }
    }

    // MARK: Answers

    @Test func `every member of an answer about connections, phones and the log is in the document`() async throws {
        let document = try LocatedJSON(json: WebPage.inbox.document.bytes)
        let console = try await Console()
        let profile = #"{"stores_several":true,"apps":[{"topic":"com.example.app"}]}"#
        #expect(await console.ask(.put, "/v1/phones/desk", profile).status < 300)
        try await console.push()
        for (path, operation) in [
            ("/v1/connections", "/v1/connections"), ("/v1/connections/1", "/v1/connections/{number}"),
            ("/v1/pushes/1/frames", "/v1/pushes/{number}/frames"), ("/v1/phones", "/v1/phones"),
            ("/v1/phones/desk", "/v1/phones/{id}"),
        ] {
            let answer = await console.ask(.get, path)
            #expect(answer.status == 200, "\(path)")
            let content = document["paths"]?[operation]?["get"]?["responses"]?["200"]?["content"]
            let schema = try #require(content?["application/json"]?["schema"], "\(operation)")
            let missing = Self.unknown(in: try #require(answer.json), schema, document, path)
            #expect(missing == [], "the document lacks them")
        }
        #expect(await console.ask(.get, "/v1/phones/desk")["stores_several"]?.bool == true)
        await console.end()
    }

    /// The members of a value that its schema does not have, each with its path.
    private static func unknown(
        in value: LocatedJSON, _ schema: LocatedJSON, _ document: LocatedJSON, _ path: String
    ) -> [String] {
        if let name = schema["$ref"]?.string {
            let target = document[path: name.split(separator: "/").dropFirst().map(String.init)]
            return target.map { unknown(in: value, $0, document, path) } ?? [name]
        }
        switch value.kind {
        case .object:
            let others = schema["additionalProperties"].flatMap { $0["type"] == nil ? nil : $0 }
            return value.members.flatMap { member in
                let here = "\(path).\(member.name)"
                guard let known = schema["properties"]?[member.name] ?? others else { return [here] }
                return unknown(in: member.value, known, document, here)
            }
        case .array:
            guard let each = schema["items"] else { return value.items.isEmpty ? [] : ["\(path)[]"] }
            return value.items.flatMap { unknown(in: $0, each, document, "\(path)[]") }
        default: return []
        }
    }
}
