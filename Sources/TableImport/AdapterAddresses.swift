import OBDCore

/// Extracts the addresses from another program's adapter commands; other effects are ignored.
struct AdapterAddresses {
    private var header: String?
    private var reply: String?
    private var extended: UInt8?
    private var tester: UInt8?
    private var priority: UInt8?
    private var isLongCAN = false
    /// Commands with other effects than setting addresses and formats.
    private(set) var others: [String] = []

    /// Parses commands separated by semicolons or line ends, written as characters or as escapes.
    mutating func apply(_ text: String) {
        let lines = text.replacing("\\n", with: ";").replacing("\\r", with: ";")
        for part in lines.split(whereSeparator: { ";\n\r\\".contains($0) }) {
            apply(command: part.uppercased().filter { !$0.isWhitespace })
        }
    }

    /// Begins with an address from elsewhere in the source.
    mutating func start(at target: ECUAddress) { header = target.digits }

    private mutating func apply(command: String) {
        guard !command.isEmpty else { return }
        guard command.hasPrefix("AT") else {
            if !command.hasPrefix("ST") { others.append(command) }
            return
        }
        let body = command.dropFirst(2)
        func value(_ name: String) -> String? {
            guard body.hasPrefix(name) else { return nil }
            let digits = body.dropFirst(name.count)
            return !digits.isEmpty && digits.utf8.allSatisfy { Hex.value($0) != nil }
                ? String(digits) : nil
        }
        func byte(_ name: String) -> UInt8? { value(name).flatMap { UInt8($0, radix: 16) } }
        if let digits = value("SH") {
            header = digits
            reply = nil
        } else if let digits = value("CRA") {
            reply = digits
        } else if body == "CEA" {
            extended = nil
        } else if let digit = byte("CEA") {
            extended = digit
        } else if let digit = byte("CP") {
            priority = digit
        } else if let digit = value("SP") ?? value("TP") {
            isLongCAN = digit == "7" || digit == "9"
        } else if let digit = byte("TA") {
            tester = digit
        }
    }

    /// The ECU to ask and the ECU that answers.
    func addresses() throws(RowFault) -> (target: ECUAddress?, responder: ECUAddress?) {
        var found: (target: ECUAddress?, responder: ECUAddress?) = (nil, nil)
        if var header {
            if header.count == 6, priority != nil || isLongCAN {
                header = Hex.string([priority ?? 0x18]) + header
            }
            found = try ForeignRequest.address(header)
        }
        if let reply, reply.count == 3 || reply.count == 8 {
            found.responder = try ForeignRequest.address(reply).target
        }
        if let extended {
            found.target?.extended = extended
            found.responder?.extended =
                found.target.flatMap { ForeignRequest.answerByte($0, tester: tester) }
                ?? tester ?? extended
        }
        return found
    }
}
