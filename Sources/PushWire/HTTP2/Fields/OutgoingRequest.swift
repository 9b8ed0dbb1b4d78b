/// The fields and the body of a request, where they lie: whoever makes it keeps both, unchanged, and is kept by the stream.
///
/// The arrays themselves are not passed on. Notifications of a campaign share one payload, and to count its references in
/// each thread that a notification passes was a tenth of the cost of a send.
// Not checked by the compiler: an array that nobody writes to keeps its elements where they are, as long as it lives. That is
// all that is asked of the owner, whose arrays are constants.
package struct OutgoingRequest: @unchecked Sendable {
    let fields: UnsafeRawBufferPointer
    let body: UnsafeRawBufferPointer

    /// Looks at arrays that the owner keeps in constants.
    package init(_ fields: borrowing OutgoingFields, body: borrowing [UInt8]) {
        self.fields = fields.memory
        self.body = body.withUnsafeBytes { $0 }
    }
}

/// A request that nobody else keeps.
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
