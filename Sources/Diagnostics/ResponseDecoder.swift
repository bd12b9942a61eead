public import OBDCore

/// Decodes the messages of ECUs into readings, codes, monitors and test results, according to their request.
///
/// A message that does not answer the request, or that no table decodes, stays a message. A record that is
/// incomplete, or followed by bytes that are not a record, is an error; the complete records before it are
/// valid.
public struct ResponseDecoder: Sendable {
    /// The table that decodes data records.
    public private(set) var table: PIDTable
    /// Names and scalings of monitors and tests.
    public private(set) var monitors: MonitorTables

    private(set) var records: RecordDecoder
    var memory = ECUMemory()
    var parts = LegacyMultipart()
    /// The evidence of earlier messages for the protocol family.
    var evidence = FamilyEvidence()

    /// A decoder that has decoded nothing yet.
    public init(table: PIDTable, monitors: MonitorTables) {
        self.table = table
        self.monitors = monitors
        records = RecordDecoder(table: table)
    }

    /// Uses other tables from now on, and keeps all facts about ECUs.
    public mutating func use(table: PIDTable, monitors: MonitorTables) {
        self.table = table
        self.monitors = monitors
        records = RecordDecoder(table: table)
    }

    /// Decodes a message and appends its content to `out`.
    ///
    /// Without a request in `exchange`, everything that can be decoded is accepted. An empty list of codes
    /// appends nothing, because the message itself shows that the ECU answered.
    public mutating func decode(
        _ message: ECUMessage, in exchange: Exchange, _ out: inout [DiagnosticItem]
    ) {
        if let answers = joinedAnswers(message, exchange) {
            for one in answers { decode(one, in: exchange, &out) }
            return
        }
        let answer = Answer(message, in: exchange, evidence)
        guard let first = message.payload.first else {
            out.append(answer.error(.empty))
            return
        }
        if answer.family == .j1939 || message.parameterGroup != nil {
            decodeParameterGroup(answer, &out)
            return
        }
        if first == Service.negativeResponse.rawValue {
            decodeRefusal(answer, &out)
            return
        }
        if answer.isNoAnswer {
            out.append(answer.error(.malformed("no answer begins like this")))
            return
        }
        guard answer.request.map({ Service($0[0]).positiveResponse == first }) ?? true else {
            out.append(.message(message))
            return
        }
        guard let kind = DecodedAnswer(rawValue: first) else {
            out.append(.message(message))
            return
        }
        if isOfAnotherECU(message, exchange) {
            out.append(.message(message))
            return
        }
        switch kind {
        case .currentData, .freezeFrame, .localData, .identification: decodeRecords(answer, &out)
        case .storedCodes: decodeCodes(answer, .stored, &out)
        case .pendingCodes: decodeCodes(answer, .pending, &out)
        case .permanentCodes: decodeCodes(answer, .permanent, &out)
        case .codesCleared, .informationCleared:
            memory.forgetCodes(of: answer.speaker)
            out.append(.message(message))
        case .oxygenSensorTests: decodeOxygenSensorTest(answer, &out)
        case .monitorTests: decodeMonitorTests(answer, &out)
        case .vehicleInformation: decodeVehicleInformation(answer, &out)
        case .codesByGroup: decodeCodesOfKWP(answer, recordLength: 2, &out)
        case .codesByStatus, .statusOfCodes: decodeCodesOfKWP(answer, recordLength: 3, &out)
        case .codeInformation: decodeCodeInformation(answer, &out)
        case .dataIdentifiers: decodeDataIdentifiers(answer, &out)
        }
    }

    /// Whether a table describes such answers for one ECU, but another ECU was asked.
    ///
    /// Users' tables specify the ECU for services 21 and 22. If headers are off, only the header of the
    /// request shows which ECU answered.
    private func isOfAnotherECU(_ message: ECUMessage, _ exchange: Exchange) -> Bool {
        guard message.ecu == nil, let header = exchange.header, message.payload.count > 2 else {
            return false
        }
        let payload = message.payload
        let id: DataID
        switch DecodedAnswer(rawValue: payload[0]) {
        case .localData: id = DataID(.readLocalData, UInt32(payload[1]))
        case .dataIdentifiers:
            id = DataID(.readData, UInt32(payload[1]) << 8 | UInt32(payload[2]))
        default: return false
        }
        guard let target = table.record(id, from: nil)?.target else { return false }
        switch target.form {
        case .can11: return header != target.value && header != 0x7DF
        // The priority is set separately from the other three bytes.
        case .can29:
            return header & 0xFF_FFFF != target.value & 0xFF_FFFF
                && header & 0xFF_FF00 != 0xDB_3300
        // Such a frame has no header that a user can type.
        case .byte, .logical: return false
        }
    }

    /// Ends an exchange: joins the numbered parts of service 09 before CAN and reports gaps.
    public mutating func endExchange(_ exchange: Exchange, _ out: inout [DiagnosticItem]) {
        memory.endExchange()
        joinParts(&out)
    }

    /// `7F service NRC`.
    private func decodeRefusal(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        guard payload.count >= 3 else {
            out.append(
                answer.error(
                    .malformed("negative response of \(counted(payload.count, "byte")), 3 expected")
                ))
            return
        }
        let place = Self.placeOfCode(answer)
        let refusal = NegativeResponse(service: Service(payload[1]), nrc: NRC(payload[place]))
        out.append(.negativeResponse(refusal, ecu: answer.ecu, line: answer.line))
        answer.checkRest(from: place + 1, &out)
    }

    /// The position of the code in a refusal.
    ///
    /// On SAE J1850 the request's data may be repeated before the code, with padding (SAE J2190):
    /// `7F 22 11 9C 01 31` refuses both `22 11 9C 01` and `22 11 9C`.
    private static func placeOfCode(_ answer: Answer) -> Int {
        let last = answer.payload.count - 1
        guard last > 2, answer.isCAN != true, answer.family != .iso14230,
            NRC(answer.payload[last]).name != "unknown"
        else { return 2 }
        guard let request = answer.request else { return answer.family == .j1850 ? last : 2 }
        let echo = answer.payload[2..<last]
        let data = request.dropFirst()
        let isEcho =
            data.starts(with: echo)
            || !data.isEmpty && echo.starts(with: data)
        return isEcho && request[0] == answer.payload[1] ? last : 2
    }
}

/// The positive answers that are decoded, by their first byte.
enum DecodedAnswer: UInt8, CaseIterable {
    case currentData = 0x41
    case freezeFrame = 0x42
    case storedCodes = 0x43
    case codesCleared = 0x44
    case oxygenSensorTests = 0x45
    case monitorTests = 0x46
    case pendingCodes = 0x47
    case vehicleInformation = 0x49
    case permanentCodes = 0x4A
    case codesByGroup = 0x53
    case informationCleared = 0x54
    case statusOfCodes = 0x57
    case codesByStatus = 0x58
    case codeInformation = 0x59
    case identification = 0x5A
    case localData = 0x61
    case dataIdentifiers = 0x62
}

extension ResponseDecoder {
    /// The services whose answers are decoded, ascending; J1939 has no services.
    public static var services: [Service] {
        DecodedAnswer.allCases.map { Service($0.rawValue & ~0x40) }
    }
}

/// A message and the request that it answers.
struct Answer {
    let message: ECUMessage
    /// The service and data of the request; nil if unknown.
    let request: [UInt8]?
    /// The protocol family; nil if neither the exchange nor the address shows it.
    let family: VehicleProtocol.Family?
    /// The ECU under which the answer's content is remembered.
    let speaker: ECUMemory.Speaker

    init(_ message: ECUMessage, in exchange: Exchange, _ evidence: FamilyEvidence) {
        self.message = message
        speaker = ECUMemory.Speaker(message.ecu, askedAt: exchange.header)
        request = exchange.request.flatMap { $0.isEmpty ? nil : $0 }
        let said = exchange.family ?? exchange.vehicleProtocol?.family
        let shown = Self.family(of: message.ecu)
        // The exchange's protocol may be due to a damaged text, but the address was in the frame itself.
        let isRefuted =
            said == .can && shown?.isLegacy == true || said?.isLegacy == true && shown == .can
        family = isRefuted ? shown : said ?? shown ?? evidence.family
    }

    /// The same answer with another payload.
    init(_ answer: Answer, payload: [UInt8]) {
        message = ECUMessage(
            ecu: answer.ecu, payload: payload, line: answer.line,
            parameterGroup: answer.message.parameterGroup)
        request = answer.request
        family = answer.family
        speaker = answer.speaker
    }

    var payload: [UInt8] { message.payload }
    var ecu: ECUAddress? { message.ecu }
    var line: Int { message.line }

    /// Whether the message was sent over CAN; nil if unknown.
    var isCAN: Bool? { family.map { !$0.isLegacy } }

    func error(_ fault: DecodeError.Fault) -> DiagnosticItem {
        .error(DecodeError(fault, ecu: ecu, line: line))
    }

    /// An error for bytes from `start` on that are not a record.
    func leftOver(from start: Int) -> DiagnosticItem {
        error(.leftOver(InlineBytes(payload[start...])))
    }

    /// Reports the bytes from `start` on, unless they are padding.
    func checkRest(from start: Int, _ out: inout [DiagnosticItem]) {
        guard start < payload.count, !RecordSplitter.isFiller(payload, from: start) else { return }
        out.append(error(.leftOver(InlineBytes(payload[start...]))))
    }

    /// Whether this cannot be an ECU's answer, because the first byte of an answer has bit 6 set.
    var isNoAnswer: Bool {
        guard let ecu, let first = payload.first, first & 0x40 == 0 else { return false }
        switch ecu.form {
        case .can11: return (0x7E8...0x7EF).contains(ecu.value)
        case .can29: return ecu.value & 0x1FFF_FF00 == 0x18DA_F100
        case .byte: return ecu.value != 0xF1
        case .logical: return true
        }
    }

    /// Whether byte `index` is the same in the answer and in the request, if known.
    func echoes(_ index: Int) -> Bool {
        guard let request, index < request.count else { return true }
        return index < payload.count && payload[index] == request[index]
    }

    private static func family(of ecu: ECUAddress?) -> VehicleProtocol.Family? {
        switch ecu?.form {
        case .can11, .can29, .logical: .can
        // The source byte belongs to ISO 9141-2, ISO 14230-4 or J1850, which this module treats alike.
        case .byte: .iso9141
        case nil: nil
        }
    }
}

/// The facts from earlier answers of an ECU that decide the meaning of later answers.
struct ECUMemory: Sendable {
    /// An ECU; if headers are off, any ECU that answers at the header of the requests.
    struct Speaker: Hashable, Sendable {
        let ecu: ECUAddress?
        /// The address of the only ECU that was asked; nil if all were.
        let header: UInt32?

        init(_ ecu: ECUAddress?, askedAt header: UInt32?) {
            self.ecu = ecu
            let isToAll = header == 0x7DF || header.map { $0 & 0xFF_FFFF } == 0xDB_33F1
            self.header = ecu == nil && !isToAll ? header : nil
        }
    }

    private struct FrameKey: Hashable {
        var speaker: Speaker
        var frame: UInt8
    }

    /// A code, or several codes that cannot be assigned because they have no address.
    private struct FrozenCode {
        var code: DTC?
        var isOfThisExchange: Bool
    }

    /// Ranges, or several ranges that cannot be assigned.
    private struct Ranges {
        var overrides = RangeOverrides()
        /// The PIDs received in this exchange.
        var pidsOfThisExchange: Set<UInt32> = []
    }

    /// Far more than any vehicle has; foreign addresses must not fill the memory.
    private static let mostEntries = 1024

    private var frozen: [FrameKey: FrozenCode] = [:]
    private var scalings: [Speaker: Ranges] = [:]
    // Whether PID 01 reports compression ignition; nil if ECUs without addresses disagree.
    private var ignitions: [Speaker: Bool?] = [:]
    private var codeFormats: [Speaker: UInt8] = [:]
    /// Changes whenever the memory changes.
    private(set) var revision = 0

    /// The code that caused a freeze frame, if an answer to 02 02 has reported it.
    func code(of speaker: Speaker, frame: UInt8) -> DTC? {
        frozen.isEmpty ? nil : frozen[FrameKey(speaker: speaker, frame: frame)]?.code
    }

    /// Stores an answer to 02 02; nil if there is no freeze frame.
    mutating func remember(_ code: DTC?, of speaker: Speaker, frame: UInt8) {
        let key = FrameKey(speaker: speaker, frame: frame)
        var known = code
        if speaker.ecu == nil, let earlier = frozen[key], earlier.isOfThisExchange,
            earlier.code != code
        {
            known = nil
        }
        if frozen.count >= Self.mostEntries { frozen.removeAll() }
        if frozen[key]?.code != known { revision &+= 1 }
        frozen[key] = FrozenCode(code: known, isOfThisExchange: true)
    }

    /// Removes the freeze frames after codes were cleared.
    mutating func forgetCodes(of speaker: Speaker) {
        // An answer without an address may be from any ECU without one.
        frozen = frozen.filter { entry in
            speaker.ecu == nil ? entry.key.speaker.ecu != nil : entry.key.speaker != speaker
        }
    }

    /// The format of an ECU's codes, if an answer to 19 01 or 19 07 has named it.
    func codeFormat(of speaker: Speaker) -> UInt8? { codeFormats[speaker] }

    /// Stores the format of an ECU's codes.
    mutating func remember(codeFormat: UInt8, of speaker: Speaker) {
        if codeFormats.count >= Self.mostEntries { codeFormats.removeAll() }
        if codeFormats[speaker] != codeFormat { revision &+= 1 }
        codeFormats[speaker] = codeFormat
    }

    /// Whether an ECU's engine has compression ignition, if PID 01 has reported it.
    func isCompression(_ speaker: Speaker) -> Bool? { ignitions[speaker] ?? nil }

    /// Stores the kind of ignition in PID 01.
    mutating func remember(isCompression: Bool, _ speaker: Speaker) {
        if ignitions.count >= Self.mostEntries { ignitions.removeAll() }
        var known: Bool? = isCompression
        if speaker.ecu == nil, let earlier = ignitions[speaker], earlier != isCompression {
            known = nil
        }
        if ignitions[speaker] != .some(known) { revision &+= 1 }
        ignitions[speaker] = .some(known)
    }

    /// The ranges in PIDs 4F and 50 of an ECU.
    func overrides(of speaker: Speaker) -> RangeOverrides? {
        if scalings.isEmpty { return nil }
        if let own = scalings[speaker]?.overrides { return own }
        guard speaker.ecu == nil else { return nil }
        // The ECU that answered a functional request may be the one that is asked now, or another.
        var others: RangeOverrides?
        for (other, ranges) in scalings where other.ecu == nil {
            guard (other.header == nil) != (speaker.header == nil) else { continue }
            others = (others ?? RangeOverrides()).joined(with: ranges.overrides)
        }
        return others
    }

    /// Stores PID 4F or 50.
    mutating func updateOverrides(of speaker: Speaker, pid: UInt32, _ bytes: ArraySlice<UInt8>) {
        if scalings.count >= Self.mostEntries { scalings.removeAll() }
        var ranges = scalings[speaker] ?? Ranges()
        let before = ranges.overrides
        guard ranges.overrides.update(pid: pid, bytes) else { return }
        // Two ECUs without addresses announce different ranges, so from now on it is unknown which values
        // belong to which ECU.
        let isSecond = !ranges.pidsOfThisExchange.insert(pid).inserted
        if speaker.ecu == nil, isSecond, before != ranges.overrides || before.isUnknown(pid) {
            ranges.overrides.makeUnknown(pid)
        }
        if scalings[speaker]?.overrides != ranges.overrides { revision &+= 1 }
        scalings[speaker] = ranges
    }

    /// Ends the exchange; later answers belong to another request.
    mutating func endExchange() {
        if !frozen.isEmpty {
            for key in frozen.keys where key.speaker.ecu == nil {
                frozen[key]?.isOfThisExchange = false
            }
        }
        if !scalings.isEmpty {
            for key in scalings.keys { scalings[key]?.pidsOfThisExchange = [] }
        }
    }
}
