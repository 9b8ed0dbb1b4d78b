import TestSupport
import Testing

/// Whether the check of answers can find anything.
@Suite struct OpenAPIDocumentTests {
    private static let document = OpenAPIDocument(
        json: Array(
            #"""
            {"paths": {
              "/v1/pushes/{id}": {"get": {"responses": {
                "200": {"content": {
                  "application/json": {"schema": {"$ref": "#/components/schemas/Push"}},
                  "application/x-ndjson": {
                    "schema": {"type": "string"},
                    "x-item-schema": {"type": "object", "properties": {"line": {"type": "integer"}}}},
                  "text/plain": {}}},
                "204": {}}}},
              "/v1/pushes/count": {"get": {"responses": {"200": {"$ref": "#/components/responses/Count"}}}}},
             "components": {
              "responses": {"Count": {"content": {"application/json": {"schema": {"type": "integer"}}}}},
              "schemas": {
               "Base": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}},
               "Push": {
                "allOf": [{"$ref": "#/components/schemas/Base"}],
                "oneOf": [
                 {"required": ["token"], "properties": {"token": {"type": "string"}}},
                 {"required": ["user"], "properties": {"user": {"type": ["integer", "null"]}}}],
                "properties": {
                 "state": {"enum": ["waiting", "sent"]}, "rate": {"type": "number"},
                 "vars": {"type": "object", "additionalProperties": {"type": "string"}},
                 "payload": {"type": "object"},
                 "tries": {"type": "array", "items": {"$ref": "#/components/schemas/Base"}}}}}}}
            """#.utf8))

    @Test(arguments: [
        #"{"id":"a","token":"t"}"#, #"{"id":"a","user":null}"#, #"{"id":"a","user":1.0,"state":"sent","rate":1}"#,
        #"{"id":"a","token":"t","vars":{"x":"y"},"payload":{"any":[1]},"tries":[{"id":"b"}]}"#,
    ])
    func `an answer that the document has is right`(body: String) {
        #expect(mistakes(body) == [])
    }

    @Test(arguments: [
        (#"{"token":"t"}"#, ".id is missing"), (#"{"id":"a"}"#, ".token is missing"),
        (#"{"id":1,"token":"t"}"#, ".id isn't of the type string"),
        (#"{"id":"a","user":"u"}"#, ".token is missing"), (#"{"id":"a","user":1.5}"#, ".token is missing"),
        (#"{"id":"a","token":"t","rate":"1"}"#, ".rate isn't of the type number"),
        (#"{"id":"a","token":"t","state":"lost"}"#, ".state is none of the listed values"),
        (#"{"id":"a","token":"t","more":1}"#, ".more isn't in the document"),
        (#"{"id":"a","token":"t","vars":{"x":1}}"#, ".vars.x isn't of the type string"),
        (#"{"id":"a","token":"t","tries":[{"id":"b"},{"id":"b","more":1}]}"#, ".tries[].more isn't in the document"),
        ("[]", " isn't of the type object"), ("{", "this is no JSON"),
    ])
    func `what the document lacks is found`(body: String, mistake: String) {
        #expect(mistakes(body) == ["GET /v1/pushes/1 200: \(mistake)"])
    }

    @Test func `the status, the type and each line are held against the document`() {
        #expect(mistakes("{}", status: 418) == ["GET /v1/pushes/1 418: the document lacks this status"])
        #expect(mistakes("", type: "image/png") == ["GET /v1/pushes/1 200: the document lacks the type image/png"])
        #expect(mistakes("x", type: nil) == ["GET /v1/pushes/1 200: the body has no type"])
        #expect(mistakes("", status: 204, type: nil) == [])
        #expect(mistakes("Hi", type: "text/plain; charset=utf-8") == [])
        let lines = mistakes("{\"line\":1}\n{\"line\":\"2\"}\n", type: "application/x-ndjson")
        #expect(lines == ["GET /v1/pushes/1 200: .line isn't of the type integer"])
    }

    @Test func `the operation is that of the method and the path`() {
        #expect(mistakes("5", path: "/v1/pushes/count?q=x") == [])
        #expect(mistakes("", "HEAD") == [])
        #expect(mistakes("5", path: "/v1/pushes/%63ount") == [])
        #expect(mistakes("", path: "/v1/pushes/", status: 404) == [])
        #expect(mistakes("", "PUT", status: 405) == [])
        #expect(mistakes("", "PUT") == ["PUT /v1/pushes/1 200: the document has no such operation"])
        #expect(mistakes("<html>", path: "/index.html", type: "text/html") == [])
    }

    private func mistakes(
        _ body: String, _ method: String = "GET", path: String = "/v1/pushes/1", status: Int = 200,
        type: String? = "application/json"
    ) -> [String] {
        Self.document.mistakes(inAnswerTo: method, path, status: status, type: type, body: Array(body.utf8))
    }
}
