/// Something that must hold whatever the input is. When it does not, the process ends, and libFuzzer keeps the input.
package func claim(_ holds: Bool, _ words: @autoclosure () -> String) {
    if !holds { fatalError("claim broken: \(words())") }
}

/// Calls that cannot fail here, such as the making of a session: when one does, the harness is of no use.
package func expected<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { fatalError("the harness itself has failed: \(error)") }
}

/// A text that is shown to people or written to a log has no character that could steer a terminal or forge a line.
package func claimPrintable(_ text: String, _ what: String) {
    let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
    claim(isPrintable, "\(what) holds a control character: \(text.debugDescription)")
}

/// The words of an error say something, on one line, and give nothing of a secret file away.
package func claimHarmless(_ description: String, secret: [UInt8] = []) {
    claim(!description.isEmpty, "an error says nothing")
    claimPrintable(description, "an error")
    // So many letters and digits in a row are no word, and no coincidence.
    let tooMuch = 16
    for word in description.utf8.split(whereSeparator: { !$0.isLetterOrDigit }) where word.count >= tooMuch {
        for start in word.indices.dropLast(tooMuch - 1) {
            let quotes = secret.holds(Array(word[start...].prefix(tooMuch)))
            claim(!quotes, "an error quotes the file: \(description.debugDescription)")
        }
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self & 0xDF) || self == 0x2B || self == 0x2F
    }
}

extension [UInt8] {
    /// By hand, because libFuzzer watches the C library's `memmem` and would put what is looked for into the input.
    fileprivate func holds(_ part: [UInt8]) -> Bool {
        withUnsafeBufferPointer { all in
            part.withUnsafeBufferPointer { part in
                guard all.count >= part.count else { return false }
                return (0...all.count - part.count).contains { start in
                    part.indices.allSatisfy { all[start + $0] == part[$0] }
                }
            }
        }
    }
}
