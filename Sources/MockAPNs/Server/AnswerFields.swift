import APNSVocabulary
internal import PushWire

extension MockVerdict {
    /// The body of the answer. An answer to HEAD has none (RFC 9110 section 9.3.2).
    func body(for request: MockRequest) -> [UInt8] {
        request.method == "HEAD" ? [] : body
    }

    /// Returns the header fields of an answer.
    ///
    /// - Parameters:
    ///   - hasBody: Whether a body follows.
    ///   - others: Further fields. They replace usual ones of the same name.
    /// - Returns: The fields, the status first.
    func headers(hasBody: Bool, others: [String: String] = [:]) -> OutgoingFields {
        OutgoingFields(expecting: 160) { fields in
            func write(_ name: String, _ value: String?, _ indexing: HeaderBlock.Indexing) {
                guard let value, others.isEmpty || others[name] == nil else { return }
                fields.write(name, value, indexing: indexing)
            }
            func write(_ name: String, _ id: MockAnswerID?) {
                guard let id, others.isEmpty || others[name] == nil else { return }
                id.withBytes { fields.write(name, bytes: $0, indexing: .avoided) }
            }
            write(":status", status == 200 ? "200" : String(status), .allowed)
            write(isRequestID ? APNSHeader.requestID : APNSHeader.id, message.isEmpty ? nil : message)
            write(APNSHeader.uniqueID, unique)
            write(APNSHeader.channelID, channelID, .avoided)
            write("content-type", hasBody ? "application/json" : nil, .allowed)
            guard !others.isEmpty else { return }
            for (name, value) in others.sorted(by: { $0.key < $1.key }) {
                fields.write(name, value, indexing: .avoided)
            }
        }
    }
}

extension MockFault.Answer {
    func fields(of verdict: MockVerdict, hasBody: Bool, paddings: FaultPaddings) -> OutgoingFields {
        guard fields != nil || padding != nil || !leftOut.isEmpty else {
            return verdict.headers(hasBody: hasBody, others: headers)
        }
        var block = HeaderBlock()
        if let fields {
            for field in fields { block.append(field.name, field.value, indexing: .avoided) }
        } else {
            for field in verdict.headers(hasBody: hasBody, others: headers).fields
            where !leftOut.contains(field.name) {
                block.append(field.name, field.value, indexing: field.indexing)
            }
        }
        if let padding { block.append(contentsOf: paddings.fields(padding)) }
        return OutgoingFields(block)
    }

    var shape: AnswerShape {
        var shape = AnswerShape()
        shape.interim = interim.map { OutgoingFields([(":status", String($0))]) }
        if !trailers.isEmpty {
            shape.trailers = OutgoingFields(trailers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
        shape.pieceBytes = pieceBytes
        shape.ends = ends
        return shape
    }
}
