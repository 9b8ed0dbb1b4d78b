/// The description of the API for programs, in the form of OpenAPI 3.1.
enum OpenAPIDocument {
    static let bytes = Array("{}".utf8)
}
