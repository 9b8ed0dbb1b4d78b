// The types of APNSVocabulary are part of the public API: code that imports PushProvider can use them.
@_exported public import APNSVocabulary
// `PushJSONValue` is the type of the custom keys of a payload.
@_exported public import PushJSON
