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
}
