/// Why a payload cannot be built. The error contains no values of the caller.
public struct PushPayloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong. Later versions may add codes.
    public struct Code: Hashable, Sendable {
        let name: String
        /// A number is not finite, so JSON cannot represent it.
        public static let notFinite = Code(name: "notFinite")
        /// A number is outside the range that Apple accepts.
        public static let outOfRange = Code(name: "outOfRange")
        /// A value is not an object, but must be one.
        public static let notAnObject = Code(name: "notAnObject")
        /// A key of the app has the name of one of Apple's keys.
        public static let reservedKey = Code(name: "reservedKey")
        /// The `encode(to:)` of a value threw an error, or wrote something that JSON cannot represent.
        public static let cannotEncode = Code(name: "cannotEncode")
        /// A value is nested too deeply, or contains itself.
        public static let tooDeep = Code(name: "tooDeep")
    }

    /// What is wrong.
    public let code: Code
    /// The path in the payload, for example `aps.sound.volume`.
    public let path: String
    /// What is wrong and what to do, in a sentence or two.
    public let description: String

    init(_ code: Code, _ path: String, _ message: String) {
        self.code = code
        // The path can contain keys from the caller's data.
        self.path = path.printable
        description = "\(self.path) \(message)"
    }
}

extension PushPayloadError {
    static func notFinite(_ path: String) -> PushPayloadError {
        PushPayloadError(
            .notFinite, path, "isn't a finite number, and JSON has only finite ones: give a number, or leave it out.")
    }

    static func notBetween0And1(_ path: String) -> PushPayloadError {
        PushPayloadError(.outOfRange, path, "isn't between 0 and 1: give a number from 0.0 to 1.0.")
    }

    static func negative(_ path: String) -> PushPayloadError {
        PushPayloadError(.outOfRange, path, "is negative: give 0 or more.")
    }

    static func notPositive(_ path: String) -> PushPayloadError {
        PushPayloadError(.outOfRange, path, "is below 1: give 1 or more, or leave it out.")
    }

    static func noTime(_ path: String) -> PushPayloadError {
        PushPayloadError(.outOfRange, path, "isn't a time between the years 1970 and 5138: check the Date.")
    }

    static func notAnObject(_ path: String) -> PushPayloadError {
        PushPayloadError(
            .notAnObject, path,
            "isn't an object in JSON: give a struct, a class or a dictionary with strings as keys.")
    }

    static func reservedKey(_ path: String, _ advice: String) -> PushPayloadError {
        PushPayloadError(.reservedKey, path, "is a key of Apple: \(advice)")
    }

    static func contradiction(_ path: String) -> PushPayloadError {
        PushPayloadError(
            .cannotEncode, path,
            "can't be encoded in two forms: its encode(to:) may use containers of one kind only.")
    }

    static func tooDeep(_ path: String) -> PushPayloadError {
        PushPayloadError(.tooDeep, path, "is nested too deeply for a payload: check whether it contains itself.")
    }

    static func cannotEncode(_ path: String, _ cause: any Error) -> PushPayloadError {
        let message =
            switch cause {
            case EncodingError.invalidValue(_, let context): context.debugDescription
            default: String(describing: type(of: cause))
            }
        let shown = message.printable
        return PushPayloadError(.cannotEncode, path, "can't be encoded: its encode(to:) threw an error (\(shown)).")
    }
}
