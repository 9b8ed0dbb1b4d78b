import APNSVocabulary

extension Check {
    static let method = Check(
        "method", .form,
        Fact("Only POST is served; other methods get 405 MethodNotAllowed.", .confirmed)
    ) { hearing in
        let method = hearing.request.method
        return method == "POST" ? nil : Finding(.methodNotAllowed, "The method is \(Finding.quote(method)).")
    }

    static let path = Check(
        "path", .form,
        Fact("Pushes to devices go to /3/device/ and a token; other paths get 404 BadPath.", .confirmed)
    ) { hearing in
        guard hearing.request.target == .unknown else { return nil }
        // A mistyped path may hold a device token all the same.
        let words = hearing.request.path.split(separator: "/", omittingEmptySubsequences: false)
        let path = words.map { DeviceToken.shortened(String($0)) }.joined(separator: "/")
        return Finding(.badPath, "The path is \(Finding.quote(path)).")
    }

    static let repeatedHeaders = Check(
        "repeated headers", .form,
        Fact(
            """
            A header that comes twice gets DuplicateHeaders. Here authorization and the headers that begin with apns- count; \
            whether others do is not known.
            """, .confirmed)
    ) { hearing in
        hearing.request.repeatedHeader.map {
            Finding(.duplicateHeaders, "The header \(Finding.quote($0)) came more than once.")
        }
    }
}
