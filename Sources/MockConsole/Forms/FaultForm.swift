import APNSVocabulary
import MockAPNs
import PushHTTP
import PushJSON

/// Reads faults from JSON, or from YAML with the same meaning.
enum FaultForm {
    /// The faults in a value: one fault, or a list.
    static func faults(_ tree: MockJSON, at pointer: String = "") throws(APIProblem) -> [MockFault] {
        guard let list = tree.array else { return [try fault(tree, at: pointer)] }
        var faults: [MockFault] = []
        for (index, item) in list.enumerated() { faults.append(try fault(item, at: "\(pointer)/\(index)")) }
        return faults
    }

    /// One step, or a list.
    static func steps(_ tree: MockJSON) throws(APIProblem) -> [MockFault.Step] {
        let list = tree.array ?? [tree]
        let fault = MockJSON(
            .object([
                .init(name: "at", value: MockJSON(.string(MockFault.Moment.connectionEstablished.rawValue))),
                .init(name: "steps", value: MockJSON(.array(list), at: tree.location)),
            ]), at: tree.location)
        return try self.fault(fault, at: "").steps
    }

    private static func fault(_ tree: MockJSON, at pointer: String) throws(APIProblem) -> MockFault {
        do throws(MockFaultError) {
            return try MockFault(tree)
        } catch {
            var problem = APIProblem(error)
            problem.field = error.path.reduce(pointer) { "\($0)/\(FormReader.escaped($1))" }
            problem.position = (error.location ?? tree.location).map { TextPosition($0) }
            throw problem
        }
    }
}
