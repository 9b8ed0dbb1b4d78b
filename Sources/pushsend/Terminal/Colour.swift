/// The colours of text on a terminal, as SGR codes (ECMA-48).
enum Colour: String {
    case bold = "1"
    case quiet = "2"
    case red = "1;31"
    case green = "1;32"
    case yellow = "1;33"
    case magenta = "1;35"
    case cyan = "1;36"
    /// Data that was sent, unchanged.
    case data = "36"

    /// Colours a text if colours are enabled. Text from outside must already be printable.
    func paint(_ text: String, _ isOn: Bool) -> String {
        isOn ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
