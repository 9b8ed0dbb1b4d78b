import APNSVocabulary

extension Check {
    static let method = Check(
        "method", .form,
        Fact("Only POST is allowed. Other methods get 405 MethodNotAllowed.", .confirmed)
    ) { input in
        let method = input.request.method
        return method == "POST" ? nil : Finding(.methodNotAllowed, "The method is \(Finding.quote(method)).")
    }

    static let path = Check(
        "path", .form,
        Fact("The path of a push is /3/device/ and the device token. Other paths get 404 BadPath.", .confirmed)
    ) { input in
        guard input.request.target == .unknown else { return nil }
        // A wrong path can also contain a device token.
        let words = input.request.path.split(separator: "/", omittingEmptySubsequences: false)
        let path = words.map { DeviceToken.shortened(String($0)) }.joined(separator: "/")
        return Finding(.badPath, "The path is \(Finding.quote(path)).")
    }

    static let repeatedHeaders = Check(
        "repeated headers", .form,
        Fact(
            """
            A repeated header gets DuplicateHeaders. The mock checks authorization and the headers that begin with \
            apns-. It is unknown whether APNs checks others.
            """, .confirmed)
    ) { input in
        input.request.repeatedHeader.map {
            Finding(.duplicateHeaders, "The header \(Finding.quote($0)) is repeated.")
        }
    }
}
