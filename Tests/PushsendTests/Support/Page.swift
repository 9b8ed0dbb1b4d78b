import Foundation
import TestSupport

/// A file of this clone, for tests that hold code and documentation against each other.
enum Page {
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: Repository.url(path).path())
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.url(path), encoding: .utf8)
    }
}
