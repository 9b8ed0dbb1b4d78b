/// The answer of a server to one request.
struct OutgoingAnswer {
    var body: [UInt8] = []
    /// The fields, until the stream's object is reused for the next answer.
    var fields = OutgoingFields.none
    /// The unusual properties.
    var shape: AnswerShape?
    /// Whether the answer was submitted.
    var isSubmitted = false
    /// Whether its first HEADERS are in a frame.
    var hasLeft = false

    /// Prepares for the next answer. Fields and body are replaced when it is submitted.
    mutating func reuse() {
        shape = nil
        isSubmitted = false
        hasLeft = false
    }

    /// Returns the fields of the next HEADERS frame.
    mutating func takeFields() -> OutgoingFields {
        shape?.takeFields(fields) ?? fields
    }
}
