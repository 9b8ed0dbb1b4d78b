/// The colours of text on a terminal, as the sequences of ECMA-48 (SGR) name them.
enum Colour: String {
    case bold = "1"
    case quiet = "2"
    case red = "1;31"
    case green = "1;32"
    case yellow = "1;33"
    case magenta = "1;35"
    case cyan = "1;36"
    /// Data: what was sent, as it was sent.
    case data = "36"

    /// Puts a text into this colour where colours are wanted. What others wrote has to be printable already.
    func paint(_ text: String, _ isOn: Bool) -> String {
        isOn ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
