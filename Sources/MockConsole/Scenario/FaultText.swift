package import MockAPNs
import PushHTTP
package import PushJSON

/// Faults in a file, for a command line.
package enum FaultText {
    /// Reads one fault or a list in YAML.
    ///
    /// - Throws: ``Mistake``.
    package static func faults(yaml bytes: [UInt8]) throws(Mistake) -> [MockFault] {
        do {
            return try FaultForm.faults(try YAMLReader.read(bytes))
        } catch let error as JSONTextError {
            throw Mistake(description: error.message, position: error.position)
        } catch let problem as APIProblem {
            throw Mistake(description: problem.detail, position: problem.position)
        } catch {
            throw Mistake(description: "The fault can't be read.", position: nil)
        }
    }

    /// What is wrong with a fault, and where.
    package struct Mistake: Error, CustomStringConvertible {
        package let description: String
        package let position: TextPosition?
    }
}
