import APNSVocabulary

extension Check {
    static let method = Check(
        "method", .form, [.methodNotAllowed],
        """
        A push and a broadcast are sent with POST. A channel is created with POST, read with GET and deleted with \
        DELETE; channels are listed with GET. Other methods get 405 MethodNotAllowed.
        """, .confirmed
    ) { input in
        let method = input.request.method
        let isAllowed =
            switch (input.request.target, input.connection.api) {
            // On a port for channels, the path says which methods there are, so a wrong path comes first.
            case (.unknown, .channels), (.device, .channels), (.broadcast, .channels): true
            case (.unknown, .pushes), (.device, .pushes), (.broadcast, .pushes): method == "POST"
            case (.channels, _): method == "POST" || method == "GET" || method == "DELETE"
            case (.allChannels, _): method == "GET"
            }
        return isAllowed ? nil : Finding(.methodNotAllowed, "The method is \(Finding.quote(method)).")
    }

    static let path = Check(
        "path", .form, [.badPath],
        """
        The path of a push is /3/device/ and the device token. Other paths get 404 BadPath. Broadcasts and channels \
        have other paths. It is a guess that the paths of channels are served only on the ports for channels.
        """, .confirmed
    ) { input in
        guard let hint = otherPort(input) else { return nil }
        // A wrong path can also contain a device token.
        let segments = input.request.path.split(separator: "/", omittingEmptySubsequences: false)
        let path = segments.map { DeviceToken.shortened(String($0)) }.joined(separator: "/")
        return Finding(.badPath, "The path is \(Finding.quote(path)).\(hint.sentence)", remedy: hint.remedy)
    }

    /// Returns `nil` if the port serves the path; otherwise a sentence about the port that does, or nothing.
    private static func otherPort(_ input: CheckInput) -> (sentence: String, remedy: MockRemedy?)? {
        switch (input.request.target, input.connection.api) {
        case (.device, .pushes), (.broadcast, .pushes), (.channels, .channels), (.allChannels, .channels): nil
        case (.unknown, _): ("", nil)
        case (.channels, .pushes), (.allChannels, .pushes):
            input.connection.appleHost == nil
                ? (
                    " Channels are managed on separate ports, one for each environment.",
                    .useChannelsPort(of: input.environment)
                )
                : (" Channels are managed on separate ports: 2195 for the sandbox, 2196 for production.", nil)
        case (.device, .channels), (.broadcast, .channels):
            (" This port manages channels; pushes have another port.", nil)
        }
    }

    static let repeatedHeaders = Check(
        "repeated headers", .form, [.duplicateHeaders],
        """
        A repeated header gets DuplicateHeaders. The mock checks authorization and the headers that begin with \
        apns-. It is unknown whether APNs checks others.
        """, .confirmed
    ) { input in
        input.request.repeatedHeader.map {
            Finding(.duplicateHeaders, "The header \(Finding.quote($0)) is repeated.")
        }
    }
}
