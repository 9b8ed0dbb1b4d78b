internal import PushPlatform

/// The arguments as bytes from the system. They need not be UTF-8.
///
/// Swift replaces invalid UTF-8 with U+FFFD. So a text in another encoding would be sent with wrong characters, and a
/// file would not be found by its name.
package enum ArgumentBytes {
    /// Refuses arguments that are not UTF-8.
    ///
    /// - Throws: ``CommandFailure`` with 65, like for a line of a campaign.
    package static func requireUTF8() throws {
        let arguments = (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0] }.map { argument in
            Array(UnsafeBufferPointer(start: argument, count: strlen(argument))).map(UInt8.init(bitPattern:))
        }
        guard let problem = problem(in: arguments) else { return }
        throw CommandFailure(.invalidInput, problem)
    }

    /// Returns what is wrong with the first argument that is not UTF-8; `nil` if all are. The name of the program, at
    /// index 0, is not checked.
    package static func problem(in arguments: [[UInt8]]) -> String? {
        guard let index = arguments.indices.dropFirst().first(where: { text(arguments[$0]) == nil }) else { return nil }
        let offset = validPrefix(of: arguments[index])
        let byte = String(arguments[index][offset], radix: 16, uppercase: true)
        let option = text(arguments[index - 1]).flatMap(option)
        let name = option.map { "The argument after \($0)" } ?? "Argument \(index)"
        // A .p12, a DER key or certificate is a SEQUENCE with a length of two bytes.
        if arguments[index].starts(with: [0x30, 0x82]) {
            return "\(name) is the contents of a key or certificate: give the path of its file."
        }
        return """
            \(name) isn't UTF-8: byte 0x\(byte) at offset \(offset). \
            Convert the text, for example with iconv -f LATIN1 -t UTF-8; rename a file whose name isn't UTF-8.
            """
    }

    private static func text(_ bytes: [UInt8]) -> String? { String(validating: bytes, as: UTF8.self) }

    /// Returns the argument if it is an option without a value. A value may be a secret.
    private static func option(_ argument: String) -> String? {
        let isShort = argument.count == 2 && argument.hasPrefix("-")
        let isLong =
            argument.hasPrefix("--") && argument.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        return isShort || isLong ? argument : nil
    }

    /// Returns the number of bytes before the first one that is not UTF-8.
    private static func validPrefix(of bytes: [UInt8]) -> Int {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var count = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            count += UTF8.width(scalar)
        }
        return min(count, bytes.count - 1)
    }
}
