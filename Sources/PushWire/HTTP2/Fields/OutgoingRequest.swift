/// The method of a request, and pointers to its fields and its body. Their owner does not change them, and the stream
/// retains the owner.
///
/// The arrays themselves are not passed. Notifications of a campaign share one payload, and its reference counting in
/// each thread was a tenth of the cost of a send.
// Unchecked: the elements of an array stay at the same address while the array exists and is not changed. The arrays of
// the owner are constants, so this is safe.
package struct OutgoingRequest: @unchecked Sendable {
    /// `nil` if the method is among the fields.
    let method: HTTP2Method?
    let fields: UnsafeRawBufferPointer
    let body: UnsafeRawBufferPointer

    /// Creates pointers to arrays that the owner keeps in constants.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - method: The method; `nil` if it is among the fields, which costs more.
    ///   - body: The body.
    package init(_ fields: borrowing OutgoingFields, method: HTTP2Method? = nil, body: borrowing [UInt8]) {
        self.method = method
        self.fields = fields.memory
        self.body = body.withUnsafeBytes { $0 }
    }
}

/// A request that owns its fields and its body.
package final class KeptRequest: Sendable {
    private let fields: OutgoingFields
    private let body: [UInt8]
    package let outgoing: OutgoingRequest

    package init(_ fields: OutgoingFields, body: [UInt8] = []) {
        self.fields = fields
        self.body = body
        outgoing = OutgoingRequest(fields, body: body)
    }
}

package enum HTTP2Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
}
