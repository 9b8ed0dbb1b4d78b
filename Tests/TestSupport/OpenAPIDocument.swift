import Foundation
import PushJSON

/// An OpenAPI document, against which tests hold the answers of its server.
package struct OpenAPIDocument: Sendable {
    private struct Operation: Sendable {
        var method: String
        var path: [Substring]
        var responses: PushJSONValue
    }

    private let document: PushJSONValue
    private let operations: [Operation]

    package init(json: [UInt8]) {
        document = PushJSONValue(json: json) ?? .null
        operations = Self.members(document["paths"]).flatMap { path, methods in
            Self.members(methods).map { method, operation in
                Operation(
                    method: method.uppercased(), path: path.split(separator: "/", omittingEmptySubsequences: false),
                    responses: operation["responses"] ?? .null)
            }
        }
    }

    private static func members(_ value: PushJSONValue?) -> [String: PushJSONValue] {
        if case .object(let members)? = value { members } else { [:] }
    }

    private static func items(_ value: PushJSONValue?) -> [PushJSONValue] {
        if case .array(let items)? = value { items } else { [] }
    }

    private static func text(_ value: PushJSONValue?) -> String? {
        if case .string(let text)? = value { text } else { nil }
    }

    // MARK: Answers

    /// What an answer has that the document doesn't promise, and what it lacks. The pages beside the API are in no document.
    package func mistakes(
        inAnswerTo method: String, _ target: String, status: Int, type: String?, body: [UInt8]
    ) -> [String] {
        let path = String(target.prefix { $0 != "?" }).split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.removingPercentEncoding ?? String($0) }
        guard path.dropFirst().first == "v1" else { return [] }
        let name = "\(method) \(target.prefix { $0 != "?" }) \(status)"
        guard let operation = operation(method == "HEAD" ? "GET" : method, path) else {
            return [401, 404, 405].contains(status) ? [] : ["\(name): the document has no such operation"]
        }
        guard let response = operation.responses[String(status)].map(resolved) else {
            return ["\(name): the document lacks this status"]
        }
        if method == "HEAD" || status == 304 { return [] }
        let type = type.map { String($0.prefix { $0 != ";" }) }
        let content = Self.members(response["content"])
        guard let type, !body.isEmpty || !content.isEmpty else {
            return content.isEmpty && body.isEmpty ? [] : ["\(name): the body has no type"]
        }
        guard let form = content[type] else { return ["\(name): the document lacks the type \(type)"] }
        return mistakes(inBody: body, of: type, form).map { "\(name): \($0)" }
    }

    /// The operation of a path. A path that is written out goes before one with a parameter, which may fit too.
    private func operation(_ method: String, _ path: [String]) -> Operation? {
        let fitting = operations.filter { operation in
            operation.path.count == path.count
                && zip(operation.path, path).allSatisfy { $0 == $1 || $0.hasPrefix("{") && !$1.isEmpty }
        }
        let closest = fitting.min { $0.path.count { $0.hasPrefix("{") } < $1.path.count { $0.hasPrefix("{") } }
        return fitting.first { $0.path == closest?.path && $0.method == method }
    }

    private func mistakes(inBody body: [UInt8], of type: String, _ form: PushJSONValue) -> [String] {
        let (texts, schema): ([[UInt8]], PushJSONValue?)
        switch type {
        case "application/json", "application/problem+json": (texts, schema) = ([body], form["schema"])
        // For OpenAPI 3.1, a body of lines is one text.
        case "application/x-ndjson":
            (texts, schema) = (body.split(separator: UInt8(ascii: "\n")).map(Array.init), form["x-item-schema"])
        default: return []
        }
        guard let schema else { return [] }
        return texts.flatMap { text in
            PushJSONValue(json: text).map { mistakes(in: $0, schema, "") } ?? ["this is no JSON"]
        }
    }

    // MARK: Values

    private func resolved(_ value: PushJSONValue) -> PushJSONValue {
        guard let reference = Self.text(value["$ref"]) else { return value }
        return resolved(reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null })
    }

    /// The parts of a schema: all of them hold, or one of each other list.
    private static func parts(_ schema: PushJSONValue) -> (all: [PushJSONValue], choices: [[PushJSONValue]]) {
        (items(schema["allOf"]), [items(schema["oneOf"]), items(schema["anyOf"])])
    }

    /// The names of the members that a schema or one of its parts has.
    private func names(_ schema: PushJSONValue) -> Set<String> {
        let schema = resolved(schema)
        let parts = Self.parts(schema)
        let own = Set(Self.members(schema["properties"]).keys)
        return (parts.all + parts.choices.joined()).reduce(own) { $0.union(names($1)) }
    }

    /// What is wrong with a value. What a part of a schema doesn't know, another one may.
    private func mistakes(
        in value: PushJSONValue, _ schema: PushJSONValue, _ place: String, isPart: Bool = false
    ) -> [String] {
        let schema = resolved(schema)
        let types = Self.text(schema["type"]).map { [$0] } ?? Self.items(schema["type"]).compactMap(Self.text)
        guard types.isEmpty || types.contains(where: { Self.isType($0, value) }) else {
            return ["\(place) isn't of the type \(types.joined(separator: ", "))"]
        }
        let values = Self.items(schema["enum"]) + (schema["const"].map { [$0] } ?? [])
        guard values.isEmpty || values.contains(value) else { return ["\(place) is none of the listed values"] }
        let parts = Self.parts(schema)
        var found = parts.all.flatMap { mistakes(in: value, $0, place, isPart: true) }
        for choice in parts.choices {
            let each = choice.map { mistakes(in: value, $0, place, isPart: true) }
            if !each.contains([]) { found += each.min { $0.count < $1.count } ?? [] }
        }
        switch value {
        case .object(let members):
            found += mistakes(in: members, schema, place, known: isPart ? nil : names(schema))
        case .array(let items):
            guard let each = schema["items"] else { break }
            found += items.flatMap { mistakes(in: $0, each, "\(place)[]") }
        case .null, .bool, .integer, .number, .string: break
        }
        return found
    }

    /// What is wrong with the members of an object. Those that no schema describes are refused, unless the object may have any.
    private func mistakes(
        in members: [String: PushJSONValue], _ schema: PushJSONValue, _ place: String, known: Set<String>?
    ) -> [String] {
        let properties = Self.members(schema["properties"])
        let required = Self.items(schema["required"]).compactMap(Self.text)
        let missing = required.filter { members[$0] == nil }.map { "\(place).\($0) is missing" }
        // `true` tells clients to expect members of later versions. This version has none that the document lacks.
        let others = schema["additionalProperties"].flatMap { if case .object = $0 { $0 } else { nil } }
        return members.sorted { $0.key < $1.key }.reduce(into: missing) { found, member in
            let here = "\(place).\(member.key)"
            if let schema = properties[member.key] ?? others {
                found += mistakes(in: member.value, schema, here)
            } else if let known, !known.isEmpty, !known.contains(member.key) {
                found.append("\(here) isn't in the document")
            }
        }
    }

    private static func isType(_ type: String, _ value: PushJSONValue) -> Bool {
        switch (type, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("null", .null),
            ("integer", .integer), ("number", .integer), ("number", .number):
            true
        case ("integer", .number(let number)): number == number.rounded()
        default: false
        }
    }
}
