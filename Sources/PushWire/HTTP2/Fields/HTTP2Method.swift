/// The method of a request.
package enum HTTP2Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
}
