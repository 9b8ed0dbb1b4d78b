/// Pointers to the fields and the body of a request. Their owner keeps both unchanged, and the stream retains the
/// owner.
///
/// The arrays themselves are not passed. Notifications of a campaign share one payload, and its reference counting in
/// each thread was a tenth of the cost of a send.
// Unchecked: the elements of an array stay at the same address while the array exists and is not changed. The arrays of
// the owner are constants, so this is safe.
package struct OutgoingRequest: @unchecked Sendable {
    let fields: UnsafeRawBufferPointer
    let body: UnsafeRawBufferPointer

    /// Creates pointers to arrays that the owner keeps in constants.
    package init(_ fields: borrowing OutgoingFields, body: borrowing [UInt8]) {
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
