internal import CYAML

/// Owns a parser of libyaml and the bytes that it reads. One thread at a time may use it.
///
/// The parser keeps pointers to itself and to the bytes, so both have a fixed address until `deinit`.
final class YAMLParser {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    init(_ text: [UInt8]) throws(YAMLError) {
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw YAMLError(.noMemory)
        }
        // The parser refuses a null pointer, so there is a byte also of an empty text. It is not read.
        bytes = .allocate(capacity: text.count + 1)
        bytes.initializeElement(at: bytes.initialize(fromContentsOf: text), to: 0)
        // Without this, a text that begins like UTF-16 would be read as UTF-16.
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, text.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        bytes.deallocate()
    }

    /// After an error, nothing else may be read.
    func next() throws(YAMLError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw error() }
        defer { yaml_event_delete(&event) }
        return YAMLEvent(kind: Self.kind(event), position: Self.position(event.start_mark))
    }

    // MARK: Translation

    private static func kind(_ event: yaml_event_t) -> YAMLEvent.Kind {
        switch event.type {
        case YAML_STREAM_START_EVENT: .streamStart
        case YAML_DOCUMENT_START_EVENT: .documentStart
        case YAML_DOCUMENT_END_EVENT: .documentEnd
        case YAML_ALIAS_EVENT: .alias(string(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT: .scalar(scalar(event), anchor: string(event.data.scalar.anchor))
        case YAML_SEQUENCE_START_EVENT: .sequenceStart(anchor: string(event.data.sequence_start.anchor))
        case YAML_SEQUENCE_END_EVENT: .sequenceEnd
        case YAML_MAPPING_START_EVENT: .mappingStart(anchor: string(event.data.mapping_start.anchor))
        case YAML_MAPPING_END_EVENT: .mappingEnd
        // The parser gives the event without a type only after the end.
        default: .streamEnd
        }
    }

    private static func scalar(_ event: yaml_event_t) -> YAMLScalar {
        let scalar = event.data.scalar
        // A scalar can contain NUL.
        let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        return YAMLScalar(
            String(decoding: text, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE,
            tag: string(scalar.tag))
    }

    private static func string(_ characters: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        characters.map { String(cString: $0) }
    }

    private static func position(_ mark: yaml_mark_t) -> YAMLPosition {
        YAMLPosition(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }

    private func error() -> YAMLError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "it can't be read"
        let offset = Int(clamping: parser.pointee.problem_offset)
        switch parser.pointee.error {
        case YAML_MEMORY_ERROR: return YAMLError(.noMemory)
        case YAML_READER_ERROR: return YAMLError(.syntax(problem), at: position(of: offset))
        default: return YAMLError(.syntax(problem), at: Self.position(parser.pointee.problem_mark))
        }
    }

    /// The position of a byte. Only errors about single bytes lack one.
    private func position(of offset: Int) -> YAMLPosition {
        let before = bytes.prefix(max(offset, 0))
        let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let characters = String(decoding: line.last ?? before, as: UTF8.self).unicodeScalars.count
        return YAMLPosition(line: max(line.count, 1), column: characters + 1)
    }
}

struct YAMLEvent {
    enum Kind {
        case streamStart
        case documentStart
        case documentEnd
        case streamEnd
        case alias(String)
        case scalar(YAMLScalar, anchor: String?)
        case sequenceStart(anchor: String?)
        case sequenceEnd
        case mappingStart(anchor: String?)
        case mappingEnd
    }

    var kind: Kind
    var position: YAMLPosition
}
