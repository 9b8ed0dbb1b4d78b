import Testing

@testable import PushCampaign
@testable import PushProvider

/// Files as they come, in pieces of any size.
struct BatchTextTests {
    /// All lines of a text that is read in pieces of this size; a `!` marks invalid lines.
    private static func lines(
        _ text: [UInt8], piece: Int = .max, format: BatchFormat? = nil, tokenColumn: String? = nil
    ) throws -> [String] {
        var machine = BatchText(format: format, tokenColumn: tokenColumn)
        var lines: [String] = []
        func take() throws {
            while let line = try machine.next() {
                let words = line.problem.map { "!\($0)" } ?? String(decoding: line.text, as: UTF8.self)
                lines.append("\(line.number) \(words)")
            }
        }
        var rest = text[...]
        while !rest.isEmpty {
            machine.feed(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
            try take()
        }
        machine.end()
        try take()
        return lines
    }

    private static func lines(
        _ text: String, piece: Int = .max, format: BatchFormat? = nil, tokenColumn: String? = nil
    ) throws -> [String] {
        try lines(Array(text.utf8), piece: piece, format: format, tokenColumn: tokenColumn)
    }

    @Test(arguments: [1, 2, 3, 7, .max]) func `CSV with all that it may have`(piece: Int) throws {
        let text = #"""
            \#u{FEFF}token,ref,name,"full
            ""text"""\#r
            00,7,Ann,"Hello, you"\#r
            \#r
            01, 8 ,"two
            lines","say ""hi"""\#r
            02,,"",x
            """#
        #expect(
            try Self.lines(text, piece: piece) == [
                #"3 {"token":"00","ref":"7","vars":{"name":"Ann","full\u000a\"text\"":"Hello, you"}}"#,
                #"5 {"token":"01","ref":"8","vars":{"name":"two\u000alines","full\u000a\"text\"":"say \"hi\""}}"#,
                #"7 {"token":"02","vars":{"name":"","full\u000a\"text\"":"x"}}"#,
            ])
    }

    @Test(arguments: [
        ("Token,Registered_At,REF\n00,7,8\n", nil, #"2 {"token":"00","registered_at":"7","ref":"8"}"#),
        ("Device Token,Name\n00,Ann\n", nil, #"2 {"token":"00","vars":{"Name":"Ann"}}"#),
        ("deviceToken\n00\n", nil, #"2 {"token":"00"}"#),
        ("id;device_token\n7;00\n", nil, #"2 {"token":"00","vars":{"id":"7"}}"#),
        ("Id,push\n7,00\n", "push", #"2 {"token":"00","vars":{"Id":"7"}}"#),
        ("Push\n00\n", "push", #"2 {"token":"00"}"#),
        ("token,push\n7,00\n", "push", #"2 {"token":"00","vars":{"token":"7"}}"#),
    ]) func `columns are known in upper and lower case, and the one of the tokens by any name`(
        text: String, column: String?, line: String
    ) throws {
        #expect(try Self.lines(text, tokenColumn: column) == [line])
    }

    @Test(arguments: [
        ("token,device_token\n", nil, "several columns for the device token, \"token\" and \"device_token\""),
        ("Ref,ref,token\n", nil, "has the column \"ref\" twice"), ("a,b\n", "c", "no column \"c\""),
        ("a,b\n", nil, "or choose the column by its name"), ("PK\u{3}\u{4}x\n", nil, "Save the sheet as CSV"),
        ("token,\"name\n00,Ann\n", nil, "The quotation marks in the first line don't match"),
    ]) func `what cannot be read as a table says why`(text: String, column: String?, words: String) {
        let error = #expect(throws: BatchInputError.self) { try Self.lines(text, tokenColumn: column) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func `lines with missing or extra fields are reported, and the rest is read`() throws {
        let text = "token,name\n00\n01,a,b\n02,ok\n03,\"x\"y\n04,\"never closed\n"
        #expect(
            try Self.lines(text) == [
                "2 !The line has 1 field, and the header has 2.",
                "3 !The line has 3 fields, and the header has 2.",
                #"4 {"token":"02","vars":{"name":"ok"}}"#,
                "5 !There is text after the closing quotation mark of field 2.",
                "6 !The quotation mark of field 2 isn't closed.",
            ])
    }

    @Test(arguments: [
        ("token;name\n00;Ann\n", #"2 {"token":"00","vars":{"name":"Ann"}}"#),
        ("token\tname\n00\tAnn\n", #"2 {"token":"00","vars":{"name":"Ann"}}"#),
        ("token\n00\n", #"2 {"token":"00"}"#),
        ("00\n", #"1 {"token":"00"}"#),
        (" 00 \r\n", #"1 {"token":"00"}"#),
        ("\n\n00", #"3 {"token":"00"}"#),
        ("{\"token\":\"00\"}\n", #"1 {"token":"00"}"#),
    ]) func `the form is recognised by the beginning`(text: String, line: String) throws {
        #expect(try Self.lines(text) == [line])
        #expect(try Self.lines(text, piece: 1) == [line])
    }

    @Test(arguments: [
        ("[{\"token\":\"00\"}]", "jq"), ("name,ref\na,b\n", "\"token\""), ("token,a,a\n", "\"a\" twice"),
        ("a,,,\n", "\"token\""),
    ]) func `what is in no form that is read says the way out`(text: String, words: String) {
        let error = #expect(throws: BatchInputError.self) { try Self.lines(text) }
        #expect(error?.description.contains(words) == true)
    }

    @Test(arguments: [1, 3, .max]) func `Excel's first line and its cells are understood`(piece: Int) throws {
        let text = "sep=;\r\ntoken;name\r\n=\"00\";Ann, Ben\r\n\"=\"\"01\"\"\";=\"007\"\r\n"
        #expect(
            try Self.lines(text, piece: piece) == [
                #"3 {"token":"00","vars":{"name":"Ann, Ben"}}"#, #"4 {"token":"01","vars":{"name":"007"}}"#,
            ])
        #expect(try Self.lines("=\"00\"\n", piece: piece) == [#"1 {"token":"00"}"#])
        // A tab too, which is also blank space.
        for first in ["sep=\t", "\"sep=\t\"", "sep=\t\r", "sep=,\t"] {
            let delimiter = first.contains(",") ? "," : "\t"
            #expect(
                try Self.lines("\(first)\ntoken\(delimiter)name\n00\(delimiter)Ann\n", piece: piece)
                    == [#"3 {"token":"00","vars":{"name":"Ann"}}"#])
        }
    }

    @Test(arguments: [
        (#"{"results":[{"token":"00"}]}"#, "jq -c '.results[]'"),
        ("{\n \"count\": 1,\n \"results\": [\n {\"token\":\"00\"}]}", "jq -c '.results[]'"),
        (#"{"tokens":["00","01"]}"#, "jq -r '.tokens[]'"), (#"["00","01"]"#, "jq -r '.[]'"),
        ("{\"results\":[" + String(repeating: "{\"token\":\"00\"},", count: 9000), "jq -c '.results[]'"),
        ("\u{FEFF}-----BEGIN PRIVATE KEY-----\nMIGH\n", "key or a certificate"),
        ("  -----BEGIN PRIVATE KEY-----\nMIGH\n", "key or a certificate"),
        ("t\0o\0k\0e\0n\0\n\0", "iconv -f UTF-16LE"), ("\0t\0o\0k\0e\0n", "iconv -f UTF-16BE"),
    ]) func `a list in another wrapping says the way out`(text: String, words: String) {
        let error = #expect(throws: BatchInputError.self) { try Self.lines(text) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        guard words.hasPrefix("jq") else { return }
        // Also where somebody says that these are JSON lines.
        let named = #expect(throws: BatchInputError.self) { try Self.lines(text, format: .jsonLines) }
        #expect(named == error)
    }

    @Test func `a first line with a mistake does not make the file a wrapper`() throws {
        #expect(try Self.lines("{\"ids\":[\"a\"]}\n{\"token\":\"00\"}\n").count == 2)
    }

    @Test func `UTF-16 and compressed files say what to do`() {
        let utf16 = #expect(throws: BatchInputError.self) { try Self.lines([0xFF, 0xFE, 0x30, 0]) }
        #expect(utf16?.description.contains("iconv") == true)
        let gzip = #expect(throws: BatchInputError.self) { try Self.lines([0x1F, 0x8B, 8, 0]) }
        #expect(gzip?.description.contains("gunzip") == true)
    }

    @Test(arguments: [BatchFormat.jsonLines, .csv, .tokens]) func `a line without an end is passed over, and not held`(
        format: BatchFormat
    ) throws {
        var machine = BatchText(format: format)
        machine.feed(Array("token\n".utf8))
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 256 << 10)
        var lines: [String] = []
        func take() throws {
            while let line = try machine.next() {
                lines.append("\(line.number) \(line.problem ?? String(decoding: line.text, as: UTF8.self))")
            }
        }
        for _ in 0..<400 {
            machine.feed(piece)
            try take()
            #expect(machine.held <= 2 * piece.count)
        }
        machine.feed(Array("\n00\n".utf8))
        machine.end()
        try take()
        #expect(lines.suffix(2).first == "2 The line is longer than 65536 bytes.")
        #expect(lines.last?.hasPrefix("3 ") == true)
    }

    @Test func `it goes on in the middle of a file`() throws {
        let text = Array("token,name\n00,a\n01,\"b\nb\"\n02,c\n".utf8)
        var whole = BatchText(format: nil)
        whole.feed(text)
        whole.end()
        _ = try whole.next()
        var later = BatchText(format: nil)
        later.feed(Array(text.prefix(20)))
        _ = try later.next()
        later.resume(offset: whole.offset, line: whole.nextLine)
        later.feed(Array(text[whole.offset...]))
        later.end()
        while let line = try whole.next() {
            let same = try later.next()
            #expect(same == line)
        }
        let end = try later.next()
        #expect(end == nil)
        #expect((later.offset, later.nextLine) == (whole.offset, whole.nextLine))
    }
}
