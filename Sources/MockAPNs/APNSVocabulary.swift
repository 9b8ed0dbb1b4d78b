// The words of APNs are part of the mock's surface: whoever imports MockAPNs can name them.
@_exported public import APNSVocabulary
