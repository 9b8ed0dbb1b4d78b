/// Writes JSON on one line, in the order of the calls.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    package mutating func null() { raw("null") }

    package mutating func bool(_ flag: Bool) { raw(flag ? "true" : "false") }

    package mutating func integer(_ number: some BinaryInteger) { raw(String(number)) }

    package mutating func number(_ number: Double) { raw(number.isFinite ? "\(number)" : "null") }

    /// Writes text that is already JSON.
    package mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    package mutating func string(_ text: String) {
        separate()
        quote(text)
    }

    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        begin("{")
        body(&self)
        end("}")
    }

    package mutating func array<Elements: Sequence>(
        _ elements: Elements, _ body: (inout JSONWriter, Elements.Element) -> Void
    ) {
        begin("[")
        for element in elements { body(&self, element) }
        end("]")
    }

    package mutating func member(_ name: String, _ value: (inout JSONWriter) -> Void) {
        self.name(name)
        value(&self)
        needsComma = true
    }

    // MARK: Parts

    /// Writes an opening bracket. What follows is in the object or array.
    package mutating func begin(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    package mutating func end(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    /// Writes the name of a member. Its value follows.
    package mutating func name(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Members

    package mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        member(name) { $0.object(body) }
    }

    /// Writes nothing for `nil`.
    package mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        member(name) { $0.string(text) }
    }

    /// Writes nothing for `nil`.
    package mutating func member(_ name: String, _ number: Int?) {
        guard let number else { return }
        member(name) { $0.integer(number) }
    }

    package mutating func member(_ name: String, _ flag: Bool) {
        member(name) { $0.bool(flag) }
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func quote(_ text: String) { JSONBytes.write(text, to: &bytes) }
}
