import OBDCore
import TestSupport
import VehicleLink

/// A generated conversation: known messages in one of the text formats of an ELM327.
///
/// The generator follows the data sheet's description of the formats and is independent of the reader.
struct GeneratedConversation {
    /// The facts about its format that the text contains.
    enum Knowledge: CaseIterable {
        /// AT commands define the format.
        case told
        /// The text does not define the format.
        case untold
        /// `AT H` contradicts the lines.
        case contradicted
    }

    struct Form {
        var vehicleProtocol: VehicleProtocol
        var headers: Bool
        var spaces: Bool
        var showsLength: Bool
        var formatting: Bool
        var joined: Bool
        var knowledge: Knowledge
    }

    var form: Form
    var request: [UInt8]
    /// Messages by the identifier or source of their sender, in the order of their ends.
    var expected: [(sender: UInt32, payload: [UInt8])] = []
    /// Lines of the answer, in order.
    var lines: [String] = []
    /// Lines with a complete message, whose loss cannot be detected.
    var wholeMessages: Set<String> = []

    init(form: Form, using generator: inout SeededGenerator) throws {
        self.form = form
        let isCAN = form.vehicleProtocol.family == .can
        let requests: [[UInt8]] = [
            [0x01, 0x0C], [0x01, 0x00], [0x09, 0x02], [0x03], [0x22, 0xF1, 0x90], [0x01, 0x41],
            [0x06, 0x01], [0x02, 0x0C, 0x00], [0x07], [0x21, 0x30], [0x01, 0x6B],
        ]
        request = requests.randomElement(using: &generator) ?? [0x01, 0x0C]
        // Without headers, the lines of long messages from several ECUs cannot be distinguished.
        let senders = form.headers ? Int.random(in: 1...3, using: &generator) : 1
        var sequences: [[String]] = []
        for index in 0..<senders {
            let sender = Self.sender(index, form.vehicleProtocol)
            let most = isCAN ? (generator.once(in: 3) ? 300 : 20) : 7
            let head = [request[0] + 0x40] + request.dropFirst().prefix(request[0] == 0x22 ? 2 : 1)
            let length = max(head.count, Int.random(in: 1...most, using: &generator))
            let isRefusal = generator.once(in: 8)
            var payload =
                isRefusal
                ? [0x7F, request[0], 0x12] : head + generator.bytes(length - head.count)
            if isCAN, payload[0] == 0x46 {
                // Test results are records of nine bytes, each with the monitor: their length is certain.
                payload = [0x46]
                for _ in 0...Int.random(in: 0...3, using: &generator) {
                    payload += request.dropFirst() + generator.bytes(8)
                }
            }
            let sequence = try Self.lines(for: payload, sender: sender, form: form)
            if sequence.count == 1 { wholeMessages.insert(sequence[0]) }
            sequences.append(sequence)
            expected.append((sender, payload))
        }
        if sequences.count == 1 {
            lines = sequences[0]
            return
        }
        var rest = sequences.map { $0[...] }
        while !rest.isEmpty {
            let index = Int.random(in: rest.indices, using: &generator)
            lines.append(rest[index].removeFirst())
            if rest[index].isEmpty { rest.remove(at: index) }
        }
    }

    /// The whole text: the known settings, the request, the lines.
    var text: String { text(with: lines) }

    func text(with lines: [String]) -> String {
        var commands: [String] = []
        switch form.knowledge {
        case .told:
            commands = [
                "ATSP\(form.vehicleProtocol.digit)", form.headers ? "ATH1" : "ATH0",
                form.spaces ? "ATS1" : "ATS0",
            ]
            if form.vehicleProtocol.family == .can {
                commands.append(form.formatting ? "ATCAF1" : "ATCAF0")
                commands.append(form.showsLength ? "ATD1" : "ATD0")
            }
        case .untold: break
        case .contradicted: commands = [form.headers ? "ATH0" : "ATH1"]
        }
        if form.joined { commands.append("STCSEGR1") }
        var text = commands.map { ">\($0)\nOK\n\n" }.joined()
        // With CAF0, the request contains its protocol control byte.
        let isRaw = !form.formatting && form.knowledge == .told
        let typed = isRaw ? [UInt8(request.count)] + request : request
        text += ">" + Hex.string(typed) + "\n" + lines.joined(separator: "\n") + "\n\n>\n"
        return text
    }

    private static func sender(_ index: Int, _ vehicleProtocol: VehicleProtocol) -> UInt32 {
        switch vehicleProtocol.addressForm {
        case .can11: [0x7E8, 0x7E9, 0x7EA][index]
        case .can29: [0x18DA_F110, 0x18DA_F118, 0x18DA_F1D2][index]
        case .byte, .logical: [0x10, 0x11, 0x1A][index]
        }
    }

    private static func lines(
        for payload: [UInt8], sender: UInt32, form: Form
    ) throws -> [String] {
        let source = UInt8(truncatingIfNeeded: sender)
        switch form.vehicleProtocol.family {
        case .can: return try canLines(for: payload, sender: sender, form: form)
        case .iso9141:
            let frame = try ISO9141.frame(
                for: payload, header: ISO9141.responseHeader(from: source))
            return [spelled(form.headers ? frame : payload, form)]
        case .iso14230:
            let frame = try ISO14230.frame(
                for: payload, addressing: .physical(target: 0xF1, source: source),
                lengthByte: form.vehicleProtocol == .iso14230Slow)
            return [spelled(form.headers ? frame : payload, form)]
        case .j1850:
            let isPWM = form.vehicleProtocol == .j1850PWM
            let header =
                isPWM
                ? J1850.responseHeaderPWM(from: source) : J1850.responseHeaderVPW(from: source)
            let frame = try J1850.frame(for: payload, header: header)
            return [spelled(form.headers ? frame : payload, form)]
        case .j1939: return []
        }
    }

    private static func canLines(
        for payload: [UInt8], sender: UInt32, form: Form
    ) throws -> [String] {
        let id: [String]
        if form.vehicleProtocol.addressForm == .can11 {
            id = [Hex.string(sender, digits: 3)]
        } else {
            let text = Hex.string(sender, digits: 8)
            id = stride(from: 0, to: 8, by: 2).map { String(text.dropFirst($0).prefix(2)) }
        }
        let separator = form.spaces ? " " : ""
        if form.joined {
            let bytes = payload.map { Hex.string([$0]) }
            return [((form.headers ? id : []) + bytes).joined(separator: separator)]
        }
        let fields = try ISO15765.frames(for: payload, padding: 0xAA)
        if form.headers {
            return fields.map { field in
                let length = form.showsLength ? [String(field.count)] : []
                return (id + length + field.map { Hex.string([$0]) }).joined(separator: separator)
            }
        }
        if !form.formatting { return fields.map { spelled($0, form) } }
        if fields.count == 1 { return [spelled(payload, form)] }
        var lines = [Hex.string(UInt32(payload.count), digits: 3)]
        for (index, field) in fields.enumerated() {
            let bytes = index == 0 ? field.dropFirst(2) : field.dropFirst()
            let number = Hex.string(UInt32(index % 16), digits: 1)
            lines.append("\(number):\(separator)\(spelled(Array(bytes), form))")
        }
        return lines
    }

    private static func spelled(_ bytes: [UInt8], _ form: Form) -> String {
        bytes.map { Hex.string([$0]) }.joined(separator: form.spaces ? " " : "")
    }

    /// All formats.
    static var forms: [Form] {
        var forms: [Form] = []
        let protocols: [VehicleProtocol] = [
            .j1850PWM, .j1850VPW, .iso9141, .iso14230Slow, .iso14230Fast, .can11At500,
            .can29At250,
        ]
        for vehicleProtocol in protocols {
            let isCAN = vehicleProtocol.family == .can
            for headers in [false, true] {
                for spaces in [false, true] {
                    for knowledge in Knowledge.allCases {
                        for variant in 0..<(isCAN ? 4 : 1) {
                            let showsLength = variant == 1
                            if showsLength && !headers { continue }
                            forms.append(
                                Form(
                                    vehicleProtocol: vehicleProtocol, headers: headers,
                                    spaces: spaces, showsLength: showsLength,
                                    formatting: variant != 2, joined: variant == 3,
                                    knowledge: knowledge))
                        }
                    }
                }
            }
        }
        return forms
    }
}
