import MockAPNs

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value of `--fault`: a fault as JSON, or a file with one or more faults.
enum FaultArgument {
    static func read(_ text: String) throws -> [Fault] {
        let first = text.first { !$0.isWhitespace }
        let isFile = first != "{" && first != "["
        let json = isFile ? try contents(of: text) : text
        do throws(FaultError) { return try Fault.list(json: json) } catch {
            let place = isFile ? "The file \"\(text)\" of --fault: " : "--fault: "
            throw CommandFailure(status: .invalidInput, message: "\(place)\(error)")
        }
    }

    private static func contents(of path: String) throws -> String {
        guard let bytes = try? Data(contentsOf: URL(filePath: path)) else {
            throw CommandFailure(
                status: .noSuchFile,
                message: "There is no file \"\(path)\" for --fault, or it cannot be read. A fault itself begins with {."
            )
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
