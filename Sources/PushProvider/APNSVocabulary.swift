// The words of APNs are part of this library's surface: whoever imports PushProvider can name them.
@_exported public import APNSVocabulary
// `JSONValue` is what custom keys of a payload are made of.
@_exported public import PushJSON
