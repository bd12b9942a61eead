import Adapters
import Conversation
import Diagnostics
import Formats
import OBDCore
import PIDTables

/// Adapter output, whole and in pieces, must give the same lines and prompts.
func readLexer(_ input: [UInt8]) {
    var whole = ReplyLexer()
    var expected: [ReplyLexer.Token] = []
    whole.receive(input.span, &expected)
    var letters = 0
    for token in expected {
        if case .line(let line) = token {
            require(!line.isEmpty, "an empty line")
            require(line.count <= ReplyLexer.longestLine, "a line of \(line.count) bytes")
            require(!line.contains { [0x00, 0x0A, 0x0D, 0x3E].contains($0) }, "an end in a line")
            letters += line.count
        }
    }
    require(letters <= input.count, "more letters than came")

    // The input itself determines where it is split.
    var pieces = ReplyLexer()
    var found: [ReplyLexer.Token] = []
    var start = 0
    while start < input.count {
        let end = min(input.count, start + 1 + Int(input[start] & 7))
        pieces.receive(Array(input[start..<end]).span, &found)
        start = end
    }
    require(found == expected, "pieces gave \(found), the whole \(expected)")
    require(pieces == whole, "pieces leave another rest than the whole")
}

/// Text as `obdscan decode` reads it, with or without options.
///
/// Decoded data must be part of the text, and the output must be valid for a terminal and for a
/// JSON parser.
func readConversation(_ input: [UInt8]) {
    var text = input[...]
    var options = ConversationReader.Options()
    // A control character at the beginning selects the options of the command line.
    if let first = text.first, first < 0x09 {
        text = text.dropFirst()
        options = .chosen(by: first, text.popFirst() ?? 0)
    }
    var digits: [UInt8] = []
    for byte in text { if let value = Hex.value(byte) { digits.append(value) } }

    var run = DecodeRun(
        reader: ConversationReader(options),
        decoder: ResponseDecoder(table: Tables.standard, monitors: Tables.monitors),
        messagesOnly: false)
    var json = JSONLines(table: Tables.standard)
    let rows = ItemRows(table: Tables.standard) { CodeFacts(text: Tables.texts.text(of: $0.code)) }
    var lines = TextLines()
    var found: [DecodedLine] = []
    lines.receive(text) { line, number in
        run.read(line, number: number) { line, _ in found.append(line) }
    }
    let last = lines.number
    lines.finish { line, number in run.read(line, number: number) { line, _ in found.append(line) }
    }
    run.finish { line, _ in found.append(line) }

    var messageBytes = 0
    for entry in found {
        switch entry {
        case .item(let item, let text):
            check(item, in: Tables.standard)
            if let raw = raw(of: item) {
                let spelled = raw.flatMap { [$0 >> 4, $0 & 0xF] }
                require(isSubsequence(spelled, of: digits), "\(item) is not in the input")
                if case .message = item { messageBytes += raw.count }
            }
            print(item, text, with: rows, &json)
        case .noCodes(let message):
            let spelled = message.payload.flatMap { [$0 >> 4, $0 & 0xF] }
            require(isSubsequence(spelled, of: digits), "\(message) is not in the input")
        case .frame(_, let data, _):
            let spelled = data.flatMap { [$0 >> 4, $0 & 0xF] }
            require(isSubsequence(spelled, of: digits), "frame \(data) is not in the input")
        case .damaged(let error, let text, let line):
            require((1...max(1, last)).contains(line), "an error on line \(line) of \(last)")
            var printed: [UInt8] = []
            ItemRows.error(error.reason, text: text, ecu: error.ecu).appendJSON(to: &printed)
            checkPrinted(printed)
        case .status(let status, let text, _):
            var printed: [UInt8] = []
            ItemRows.adapterStatus(status.rawValue, text: text, time: nil)
                .appendJSON(to: &printed)
            checkPrinted(printed)
        case .voltage(let volts, _): require(volts.isFinite, "\(volts) V")
        }
    }
    require(messageBytes * 2 <= digits.count, "messages hold more bytes than the text")
    // A value needs at least one bit, and each error belongs to a line or a message.
    require(found.count <= 16 + text.count * 8, "\(found.count) items of \(text.count) bytes")
}

extension ConversationReader.Options {
    /// Options of the command line, selected by two bytes.
    static func chosen(by first: UInt8, _ second: UInt8) -> Self {
        let requests = [
            nil, "010C", "0902", "03", "0601", "020C00", "22F190", "1902FF", "00FECA", "0101",
            "09", "0900", "060100", "0502", "2101", "1800FF00", "22F40CF40D", "194233", "0904",
            "01000C0D1A", "02", "05", "7", "0A", "08",
        ]
        return Self(
            request: requests[Int(second) % requests.count],
            vehicleProtocol: VehicleProtocol(rawValue: first << 1 | second >> 7))
    }
}

private func print(
    _ item: DiagnosticItem, _ text: String, with rows: ItemRows, _ json: inout JSONLines
) {
    var printed: [UInt8] = []
    if case .error(let error) = item {
        ItemRows.error(error.reason, text: text, ecu: error.ecu).appendJSON(to: &printed)
    } else {
        rows.row(item, time: nil).appendJSON(to: &printed)
    }
    if case .reading(let reading) = item {
        var fast: [UInt8] = []
        json.append(reading, time: nil, to: &fast)
        require(fast == printed, "the fast writer differs from the row of \(item)")
    }
    checkPrinted(printed)
}

/// Checks for one line with one object that is printable and has balanced quotes and brackets.
func checkPrinted(_ printed: [UInt8]) {
    let text = String(decoding: printed, as: UTF8.self)
    require(printed.last == 0x0A && printed.first == 0x7B, "no object: \(text)")
    require(text.utf8.elementsEqual(printed), "not UTF-8: \(text)")
    require(
        !text.unicodeScalars.contains { $0.value == 0x7F || (0x80...0x9F).contains($0.value) },
        "a control character in \(text)")
    var depth = 0
    var isQuoted = false
    var isEscaped = false
    for byte in printed.dropLast() {
        require(byte >= 0x20, "a control character in \(text)")
        if isEscaped {
            isEscaped = false
        } else if isQuoted {
            if byte == 0x5C { isEscaped = true }
            if byte == 0x22 { isQuoted = false }
        } else {
            switch byte {
            case 0x22: isQuoted = true
            case 0x7B, 0x5B: depth += 1
            case 0x7D, 0x5D: depth -= 1
            default: break
            }
            require(depth > 0 || byte == 0x7D, "brackets do not match: \(text)")
        }
    }
    require(depth == 0 && !isQuoted, "brackets do not match: \(text)")
}

/// A recording: parsing, writing and parsing again must give the same result.
func readTranscript(_ input: [UInt8]) {
    let parsed: (transcript: Transcript, lines: [Int])
    do { parsed = try Transcript.parse(input) } catch { return }
    let transcript = parsed.transcript
    require(parsed.lines.count == transcript.chunks.count, "a chunk without a line")
    let bytes = transcript.chunks.reduce(0) { $0 + $1.bytes.count }
    require(bytes <= input.count, "more bytes than were recorded")
    do {
        let again = try Transcript(parsing: transcript.text)
        require(again == transcript, "a recording changes when it is written")
    } catch { fatalError("property broken: what was written cannot be read: \(error)") }
    var run = DecodeRun(
        reader: ConversationReader(ConversationReader.Options()),
        decoder: ResponseDecoder(table: Tables.standard, monitors: Tables.monitors),
        messagesOnly: true)
    TranscriptLines.forEach(in: transcript, numbers: parsed.lines) { line, direction, number in
        switch direction {
        case .toAdapter: run.readRequest(line, number: number) { _, _ in }
        case .fromAdapter: run.read(line, number: number) { _, _ in }
        }
    }
    run.finish { _, _ in }
}

/// Typed codes: a parsed code must print the same text and have an explanation.
func readCodes(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    for word in text.split(whereSeparator: \.isWhitespace) {
        guard let code = DTC(word) else { continue }
        require(DTC(code.description) == code, "\(code) is read as another")
        require(
            code.description.filter { $0 != "-" } == word.uppercased().filter { $0 != "-" },
            "\(word) became \(code)")
        let structure = CodeStructure(code)
        require(!structure.system.name.isEmpty, "a code of no system")
        _ = Tables.texts.text(of: code)
        if let type = code.failureType { _ = Tables.texts.text(ofFailureType: type) }
    }
}
