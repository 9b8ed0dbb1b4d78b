internal import APNSVocabulary

/// What every line must have, because the campaign has no value for all lines. For CSV, the header shows at once
/// whether lines can have it, and a list of device tokens never has it. JSON lines are checked one by one.
struct RequiredColumns {
    /// The payload for all lines; `nil` if each line must have its own.
    private let template: PayloadTemplate?
    private let checksUnused: Bool

    init(_ defaults: BatchDefaults) {
        (template, checksUnused) = (defaults.template, defaults.checksPlaceholders)
    }

    /// Throws if a list of device tokens is not enough.
    func checkTokens() throws(BatchInputError) {
        guard let template else {
            throw BatchInputError(.noPayload, "A list of device tokens has no payloads: give one for all lines.")
        }
        if let name = template.namesWithoutDefault.first {
            throw Self.noVariable(
                name, "A list of device tokens has no values for placeholders. Write the input as CSV with a column")
        }
    }

    func check(_ columns: CSVColumns) throws(BatchInputError) {
        // If lines can have their own payloads, each line is checked.
        if columns.hasPayload { return }
        guard let template else {
            throw BatchInputError(.noPayload, "The header has no column \"payload\": give a payload for all lines.")
        }
        let known = columns.variables
        let names = Set(known + (columns.hasUsers ? [RowFields.Name.user.text] : []))
        guard let name = template.namesWithoutDefault.first(where: { !names.contains($0) }) else {
            return try checkUnused(template, known, names)
        }
        let shown = known.prefix(10).map { PeerText.printable($0) }.joined(separator: ", ")
        let list = known.isEmpty ? "" : "The columns for placeholders are: \(shown). "
        throw Self.noVariable(name, "\(list)Add a column")
    }

    /// Refuses a column that the payload seems to mean and does not use, because its text would be sent to everybody.
    private func checkUnused(
        _ template: PayloadTemplate, _ known: [String], _ names: Set<String>
    ) throws(BatchInputError) {
        guard checksUnused else { return }
        let used = Set(template.names)
        let unused = known.filter { !used.contains($0) }
        let misspelt = template.unfilled(given: names, unused: unused).first { $0.suggestion != nil }
        guard let problem = template.foreignPlaceholder(unused: unused) ?? misspelt?.description else { return }
        throw BatchInputError(.noVariable, "\(problem) Otherwise, remove or rename the column.")
    }

    private static func noVariable(_ name: String, _ remedy: String) -> BatchInputError {
        let name = PeerText.printable(name)
        return BatchInputError(
            .noVariable,
            """
            The payload has the placeholder {{\(name)}}, and no line has a value for it. \(remedy) "\(name)", or give the \
            placeholder a default: {{\(name)|text}}.
            """)
    }
}
