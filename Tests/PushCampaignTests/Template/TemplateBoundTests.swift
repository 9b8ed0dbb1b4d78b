import Testing

@testable import PushCampaign
@testable import PushProvider

/// Neither a template nor its values can make more than what Apple accepts.
struct TemplateBoundTests {
    /// Fills a template. Returns what was written, also if it failed.
    private static func write(_ template: String, _ variables: String) throws -> ([UInt8], PushTemplateError?) {
        let template = try PayloadTemplate(json: template.utf8)
        var fields = RowFields(names: template.names)
        return Array("{\"token\":\"00\",\"vars\":\(variables)}".utf8).withUnsafeBufferPointer { json in
            #expect(fields.find(in: json) == nil)
            var bytes: [UInt8] = []
            do throws(PushTemplateError) {
                _ = try template.write(json, fields.values, to: &bytes)
                return (bytes, nil)
            } catch {
                return (bytes, error)
            }
        }
    }

    private static func text(_ count: Int) -> String { String(repeating: "y", count: count) }

    private static func message(_ template: String) -> String? {
        do throws(PushTemplateError) {
            _ = try PayloadTemplate(json: template.utf8)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `the payload ends at the most that Apple accepts for any push type`() throws {
        let template = #"{"aps":{"alert":"x"},"d":"{{a}}"}"#
        let own = #"{"aps":{"alert":"x"},"d":""}"#.utf8.count
        let (whole, none) = try Self.write(template, #"{"a":"\#(Self.text(5120 - own))"}"#)
        #expect(whole.count == 5120 && none == nil)
        let (_, error) = try Self.write(template, #"{"a":"\#(Self.text(5121 - own))"}"#)
        #expect(error?.name == "a")
        #expect(
            error?.description
                == "With its values the payload is longer than 5120 bytes, the most that Apple accepts. \"a\" alone adds "
                + "\(5121 - own): shorten it.")
    }

    @Test(arguments: [
        #""{{a}}""#, #""x{{a}}""#, #""{{b|yes}} {{a}}""#, #""{{a:json}}""#, #"["{{a}}","{{b|1}}"]"#,
    ]) func `no value is written that does not fit`(place: String) throws {
        let template = #"{"aps":{"alert":"x"},"d":\#(place)}"#
        let long = Self.text(60_000)
        for value in ["\"\(long)\"", #""[\"\#(long)\"]""#] {
            let (bytes, error) = try Self.write(template, "{\"a\":\(value)}")
            #expect(bytes.count < 100)
            #expect(error?.name == "a")
        }
    }

    @Test func `a value that is used often counts each time`() throws {
        let places = String(repeating: "{{a}}", count: PayloadTemplate.maximumPlaceholders)
        let (bytes, error) = try Self.write(
            #"{"aps":{"alert":"x"},"d":"\#(places)"}"#, #"{"a":"\#(Self.text(3000))"}"#)
        #expect(bytes.count <= PayloadTemplate.maximumBytes)
        #expect(error?.description.contains("alone adds \(3000 * PayloadTemplate.maximumPlaceholders)") == true)
    }

    @Test func `defaults count like values`() throws {
        let places = String(repeating: "{{a|\(Self.text(100))}}", count: 100)
        let (bytes, error) = try Self.write(#"{"aps":{"alert":"x"},"d":"\#(places)"}"#, "{}")
        #expect(bytes.count <= PayloadTemplate.maximumBytes)
        #expect(error?.name == "a")
        let (nulls, _) = try Self.write(#"{"aps":{"alert":"x"},"d":"\#(places)"}"#, #"{"a":null}"#)
        #expect(nulls.count <= PayloadTemplate.maximumBytes + 100)
    }

    @Test func `what is smaller without its escapes is counted without them`() throws {
        let escaped = "[" + (0..<2000).map { _ in #"\u0031"# }.joined(separator: ",") + "]"
        let (bytes, error) = try Self.write(#"{"aps":{"alert":"x"},"d":"{{a:json}}"}"#, #"{"a":"\#(escaped)"}"#)
        #expect(error == nil)
        #expect(bytes.count < 4100)
    }

    @Test func `a template that no values can make small enough is refused before any line`() {
        #expect(
            Self.message(#"{"aps":{"alert":"{{a}}"},"d":"\#(Self.text(5200))"}"#)?.contains("without its values")
                == true)
        #expect(
            Self.message(#"{"aps":{"alert":"{{a}}"},"\#(Self.text(5200))":1}"#)?.contains("without its values") == true)
        #expect(Self.message(#"{"\#(Self.text(5200))":["{{a}}"],"aps":{}}"#)?.contains("without its values") == true)
        #expect(Self.message(#"{"aps":{"alert":"{{a}}"},"d":"\#(Self.text(5000))"}"#) == nil)
    }

    @Test func `the number of placeholders has a limit, so that a parsed template stays small`() {
        func template(_ count: Int) -> String {
            let places = (0..<count).map { "{{name\($0)|}}" }.joined()
            return #"{"aps":{"alert":"x"},"d":"\#(places)"}"#
        }
        #expect(Self.message(template(PayloadTemplate.maximumPlaceholders)) == nil)
        #expect(Self.message(template(PayloadTemplate.maximumPlaceholders + 1))?.contains("500 placeholders") == true)
        #expect(Self.message(template(7000))?.contains("500 placeholders") == true)
    }

    @Test func `a name is found among 7000 with few comparisons`() {
        let texts = (0..<7000).map { "name\($0)" }
        let names = SortedNames(texts)
        var maximum = 0
        for (slot, text) in texts.enumerated() {
            var comparisons = 0
            #expect(names.slot(of: Array(text.utf8), &comparisons) == slot)
            maximum = max(maximum, comparisons)
        }
        #expect(maximum <= 13)
        #expect(names.slot(of: Array("name7000".utf8)) == nil)
        #expect(SortedNames([]).slot(of: Array("a".utf8)) == nil)
    }
}
