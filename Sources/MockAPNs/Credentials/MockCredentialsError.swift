/// Why the credentials of a mock could not be loaded or created.
public struct MockCredentialsError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        let name: String
        package static let badName = Code(name: "badName")
        /// The state folder cannot be created, read or written, or is not a folder.
        package static let unusableFolder = Code(name: "unusableFolder")
        /// Another process has locked the state folder for too long.
        package static let busy = Code(name: "busy")
        /// A file is damaged, or does not match the others.
        package static let damagedFile = Code(name: "damagedFile")
        /// A file is missing in the state folder, but files that need it exist.
        package static let missingFile = Code(name: "missingFile")
        /// A folder that the mock did not create does not exist or is incomplete.
        package static let notSupplied = Code(name: "notSupplied")
        /// The authority in the state folder has expired or is not valid yet.
        package static let authorityNotInForce = Code(name: "authorityNotInForce")
        /// Keys or certificates could not be created.
        package static let failed = Code(name: "failed")
    }

    package let code: Code
    /// A sentence that says what is wrong and what to do.
    public let description: String

    init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }
}

extension MockCredentialsError {
    static func unusableFolder(_ folder: String, _ why: String) -> MockCredentialsError {
        MockCredentialsError(
            .unusableFolder, "The mock can't use the state folder \"\(folder)\": \(why). Give a writable folder.")
    }

    /// Other users could replace the keys.
    static func openFolder(_ folder: String, _ why: String) -> MockCredentialsError {
        MockCredentialsError(
            .unusableFolder,
            """
            The mock can't use the state folder "\(folder)": \(why). Give a folder that only you can change. The mock creates it \
            if it doesn't exist.
            """)
    }

    static func unusableFile(_ file: String, _ why: String) -> MockCredentialsError {
        let sentence = why.hasSuffix(".") ? why : why + "."
        return MockCredentialsError(.damagedFile, "\(file) can't be used: \(sentence)")
    }

    static func unreadableFolder(_ folder: String, _ why: String) -> MockCredentialsError {
        MockCredentialsError(
            .notSupplied,
            """
            The folder "\(folder)" can't be read: \(why). Use certs.example/make.sh to create a folder with all \
            files that the mock needs.
            """)
    }

    static func busy(_ folder: String, seconds: Int) -> MockCredentialsError {
        MockCredentialsError(
            .busy,
            """
            Another process has locked the state folder \(folder) for \(seconds) seconds. End that process, or give \
            another folder.
            """)
    }

    static func damaged(_ file: String, _ why: String, folder: String) -> MockCredentialsError {
        MockCredentialsError(.damagedFile, "\(file) can't be used: \(sentence(why)) \(remedy(folder))")
    }

    static func missing(_ file: String, folder: String) -> MockCredentialsError {
        MockCredentialsError(
            .missingFile, "\(file) is missing, and the other files in its folder need it. \(remedy(folder))")
    }

    static func authorityNotInForce(_ file: String, tooEarly: Bool, folder: String) -> MockCredentialsError {
        let why =
            tooEarly ? "isn't valid yet: check the clock of this machine" : "has expired, or expires within a week"
        return MockCredentialsError(.authorityNotInForce, "The mock's authority \(file) \(why). \(remedy(folder))")
    }

    private static func remedy(_ folder: String) -> String {
        """
        Delete the folder \(folder) and restart the mock. It creates new files, and clients need the new ca.pem and \
        .p8.
        """
    }

    private static func sentence(_ text: String) -> String {
        text.hasSuffix(".") || text.hasSuffix(")") ? text : text + "."
    }
}
