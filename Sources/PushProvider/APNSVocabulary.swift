// The words of APNs are part of this library's surface: whoever imports PushProvider can name them.
@_exported public import APNSVocabulary
