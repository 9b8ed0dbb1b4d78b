// The vocabulary of APNs is part of the mock's API: a client of MockAPNs can use it without another import.
@_exported public import APNSVocabulary
