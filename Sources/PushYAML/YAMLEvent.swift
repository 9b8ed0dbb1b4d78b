/// A step of the parser through a text.
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
