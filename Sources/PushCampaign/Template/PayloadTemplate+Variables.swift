import PushJSON
package import PushProvider

extension PayloadTemplate {
    /// Makes the payload for one object of values.
    ///
    /// - Parameter variables: A JSON object. Values that the template does not name are ignored; of a repeated name, the
    ///   last value counts.
    /// - Returns: The payload.
    /// - Throws: ``PushTemplateError`` if the variables are not an object, or a value is missing or wrong.
    package func payload(variables: [UInt8]) throws(PushTemplateError) -> PushPayload {
        var values = Array(repeating: 0..<0, count: names.count)
        guard variables.withUnsafeBufferPointer({ read($0, &values) }) else {
            throw PushTemplateError(description: "The variables are not a JSON object.")
        }
        var outlined = OutlinedPayloads()
        let result: Result<PushPayload, PushTemplateError> = variables.withUnsafeBufferPointer { json in
            Result { () throws(PushTemplateError) in try payload(json, values, &outlined) }
        }
        return try result.get()
    }

    /// Finds the value of each name. Returns false if the bytes are not one object.
    private func read(_ json: UnsafeBufferPointer<UInt8>, _ values: inout [Range<Int>]) -> Bool {
        var scanner = JSONScanner(json)
        scanner.skipSpace()
        guard scanner.take("{") else { return false }
        scanner.skipSpace()
        if !scanner.take("}") {
            repeat {
                guard let member = member(&scanner, json) else { return false }
                if let slot = slots[member.name] { values[slot] = member.value }
            } while scanner.take(",")
            guard scanner.take("}") else { return false }
        }
        scanner.skipSpace()
        return scanner.at == json.count
    }

    private func member(
        _ scanner: inout JSONScanner, _ json: UnsafeBufferPointer<UInt8>
    ) -> (name: String, value: Range<Int>)? {
        scanner.skipSpace()
        guard scanner.peek == UInt8(ascii: "\""), let key = try? scanner.string(),
            let name = JSONBytes.text(json, key)
        else { return nil }
        scanner.skipSpace()
        guard scanner.take(":") else { return nil }
        scanner.skipSpace()
        guard let value = try? scanner.value() else { return nil }
        scanner.skipSpace()
        return (name, value)
    }
}
