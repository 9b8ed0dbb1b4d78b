import APNSVocabulary
import MockAPNs
import PushHTTP
import PushJSON
import PushPlatform

extension MockServer {
    /// Injects faults: all of them, or none.
    func inject(_ faults: [MockFault]) throws(MockFaultError) -> [MockFault.ID] {
        var ids: [MockFault.ID] = []
        for fault in faults {
            do throws(MockFaultError) { ids.append(try inject(fault)) } catch {
                for id in ids { remove(id) }
                throw error
            }
        }
        return ids
    }
}

/// Reads faults from JSON, or from YAML with the same meaning.
enum FaultForm {
    /// The faults in a value: one fault, or a list.
    static func faults(_ tree: LocatedJSON, at pointer: String = "") throws(APIProblem) -> [MockFault] {
        let listed = tree.array?.enumerated().map { (value: $1, pointer: "\(pointer)/\($0)") }
        let items = listed ?? [(value: tree, pointer: pointer)]
        return try items.map { (item) throws(APIProblem) in
            try read(item.value, at: item.pointer, try MockFault(item.value))
        }
    }

    /// One step, or a list.
    static func steps(_ tree: LocatedJSON) throws(APIProblem) -> [MockFault.Step] {
        try read(tree, at: "", try MockFault.steps(tree))
    }

    private static func read<Value>(
        _ tree: LocatedJSON, at pointer: String, _ read: @autoclosure () throws(MockFaultError) -> Value
    ) throws(APIProblem) -> Value {
        try rethrowing(try read()) { (error: MockFaultError) in
            var problem = error.problem
            problem.field = error.path.reduce(pointer) { "\($0)/\(JSONPointer.escaped($1))" }
            problem.position = error.location ?? tree.position
            return problem
        }
    }
}
