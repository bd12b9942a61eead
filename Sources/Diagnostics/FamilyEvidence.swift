import OBDCore

/// The evidence of answers without headers for the vehicle's protocol family and for padding.
///
/// `43 01 04 20 00 00 00` is one code on CAN, with padding, and two codes before CAN. Only other
/// answers of the same conversation can decide. Each fact is noted here, in any order, for all
/// services alike.
struct FamilyEvidence: Sendable {
    private enum Weight: Int, Comparable {
        case none
        /// The fact follows from how the adapter ends other answers.
        case likely
        /// Only this form fits the number of codes in another answer.
        case counted
        /// One answer shows the family: the other family cannot produce that answer.
        case shown

        static func < (left: Weight, right: Weight) -> Bool { left.rawValue < right.rawValue }
    }

    private var can = Weight.none
    private var legacy = Weight.none
    /// The byte that fills answers up to seven bytes; nil if none was seen.
    private(set) var filler: UInt8?
    /// Whether a short answer was not filled up, so that nothing is.
    private(set) var isUnpadded = false
    /// Whether there was a list that is only counted if it was filled up.
    private var hasOpenList = false
    /// Whether it is known how short answers end.
    var knowsPadding: Bool { filler != nil || isUnpadded }
    /// The sum of the codes that PID 01 counts in the latest exchange that reports it.
    private var counted = Sum()
    /// The numbers of stored codes in the latest exchange with such lists, read in either way.
    private var listedOnCAN = Sum()
    private var listedBefore = Sum()

    /// A number that grows during an exchange and then holds until the next one.
    private struct Sum {
        private var value: Int?
        private var isClosed = true

        /// The sum of a complete exchange.
        var total: Int? { isClosed ? value : nil }

        mutating func add(_ count: Int) {
            value = isClosed ? count : (value ?? 0) + count
            isClosed = false
        }
        mutating func close() { isClosed = true }
    }

    /// Whether the vehicle uses CAN; nil if nothing settles it, or facts contradict each other.
    var isCAN: Bool? { can == legacy ? nil : can > legacy }

    /// Whether a later answer can hardly change ``isCAN``.
    var isSure: Bool { can != legacy && max(can, legacy) >= .counted }

    /// The family that is settled, where all families before CAN count as one; nil if none is.
    var family: VehicleProtocol.Family? { isCAN.map { $0 ? .can : .iso9141 } }

    /// Notes the family that a header, or the adapter, shows.
    @inline(__always)
    mutating func note(_ family: VehicleProtocol.Family) {
        switch family {
        case .can: can = .shown
        case .iso9141, .iso14230, .j1850: legacy = .shown
        case .j1939: break
        }
    }

    /// Notes a message without header that no setting assigns to a family.
    ///
    /// `lengthOf` returns the only length of a record's data; nil for others.
    mutating func note(
        bare payload: [UInt8], frames: Int, lengthOf: (DataID) -> Int?
    ) {
        guard let first = payload.first else { return }
        if frames > 1 {
            can = .shown
            return
        }
        switch first {
        case 0x41, 0x42, 0x62: noteRecords(payload, lengthOf)
        case 0x43, 0x47: noteList(payload)
        // Service 0A was added on CAN, and the tests of service 05 were replaced there.
        case 0x4A where payload.count > 1: can = .shown
        case 0x45 where payload.count > 3: legacy = .shown
        // On CAN a test result has ten bytes and more; support maps have other ids.
        case 0x46 where payload.count == Self.longest && payload[1] & 0x1F != 0: legacy = .shown
        case 0x49: noteInformation(payload)
        case 0x44, 0x54: notePadding(payload, from: 1)
        case Service.negativeResponse.rawValue: notePadding(payload, from: 3)
        default: break
        }
        if first == 0x44 {
            counted = Sum()
            listedOnCAN = Sum()
            listedBefore = Sum()
        }
    }

    /// Ends an exchange, whose lists of codes are complete.
    mutating func endExchange() {
        counted.close()
        listedOnCAN.close()
        listedBefore.close()
        guard let counted = counted.total, let onCAN = listedOnCAN.total,
            let before = listedBefore.total, onCAN != before
        else { return }
        // A number that fits neither form contradicts a form that was only likely.
        if counted != onCAN, counted != before, legacy == .likely {
            legacy = .none
            hasOpenList = false
        }
        if counted == onCAN { can = max(can, .counted) }
        if counted == before { legacy = max(legacy, .counted) }
    }

    /// The longest answer in a frame without its control byte, and before CAN.
    private static let longest = 7

    /// Notes whether an answer that ends at `end` is filled up.
    private mutating func notePadding(_ payload: [UInt8], from end: Int) {
        if payload.count == end, end < Self.longest {
            isUnpadded = true
            noteOpenList()
        } else if payload.count == Self.longest, end < Self.longest,
            RecordSplitter.isUsualFiller(payload, from: end)
        {
            filler = payload[end]
            can = .shown
        }
    }

    /// An adapter that pads no other answer, before or after a list, does not pad the list.
    private mutating func noteOpenList() {
        if hasOpenList, isUnpadded { legacy = max(legacy, .likely) }
    }

    private mutating func noteRecords(_ payload: [UInt8], _ lengthOf: (DataID) -> Int?) {
        guard payload.count > 2 else { return }
        if payload[0] == 0x41, payload[1] == 0x01, payload.count >= 6 {
            counted.add(Int(payload[2] & 0x7F))
        }
        var place = 1
        var records = 0
        while place < payload.count {
            let id: DataID
            let start: Int
            if payload[0] == 0x62 {
                guard place + 1 < payload.count else { break }
                id = DataID(.readData, UInt32(payload[place]) << 8 | UInt32(payload[place + 1]))
                start = place + 2
            } else {
                id = DataID(.currentData, UInt32(payload[place]))
                start = place + (payload[0] == 0x42 ? 2 : 1)
            }
            guard let length = lengthOf(id), start + length <= payload.count else { break }
            place = start + length
            records += 1
            if records == 1 { notePadding(payload, from: place) }
        }
        // Before CAN, an answer has one record.
        if payload[0] == 0x41, records > 1, place == payload.count { can = .shown }
    }

    private mutating func noteInformation(_ payload: [UInt8]) {
        guard payload.count > 2 else { return }
        switch payload[1] {
        // The numbers of messages, which exist only before CAN.
        case 0x01, 0x03, 0x05, 0x07, 0x09: if payload.count == 3 { legacy = .shown }
        // Parts of texts that need several frames on CAN.
        case 0x02, 0x04, 0x08, 0x0A:
            if payload.count == Self.longest, payload[2] > 0 { legacy = .shown }
        default: break
        }
    }

    private mutating func noteList(_ payload: [UInt8]) {
        let list = CodeListForm(payload)
        switch list.settled(by: self) {
        case .counted?:
            can = .shown
            notePadding(payload, from: list.end)
        case .three?: legacy = .shown
        case nil:
            hasOpenList = hasOpenList || list.isEither
            noteOpenList()
        }
        guard payload[0] == 0x43 else { return }
        listedOnCAN.add(list.codesOnCAN.count)
        listedBefore.add(list.codesBefore.count)
    }
}

/// The two forms of a list of codes without a header: `43 n` and n codes on CAN, `43` and three codes before.
struct CodeListForm {
    enum Form: Hashable {
        /// A count, codes, and perhaps padding.
        case counted
        case three
    }

    private let payload: [UInt8]
    /// The end of the counted codes.
    let end: Int
    private let mayBeCounted: Bool
    private let mayBeThree: Bool

    init(_ payload: [UInt8]) {
        self.payload = payload
        end = payload.count > 1 ? 2 + 2 * Int(payload[1]) : 0
        let isExact = payload.count == end
        mayBeCounted =
            isExact
            || payload.count == 7 && (2..<7).contains(end)
                && RecordSplitter.isFiller(payload, from: end)
        mayBeThree = payload.count == 7
    }

    /// Whether both forms are possible and give different codes.
    var isEither: Bool { mayBeCounted && mayBeThree && codesOnCAN != codesBefore }

    /// The form that the list and the known padding allow; nil if both or none are possible.
    func settled(by evidence: FamilyEvidence) -> Form? {
        guard mayBeCounted, mayBeThree else {
            return mayBeCounted ? .counted : mayBeThree ? .three : nil
        }
        // Empty in either form.
        guard isEither else { return nil }
        let filler = payload[end]
        if let known = evidence.filler { return known == filler ? .counted : .three }
        // Empty entries before CAN are 00, too; no list has a code twice.
        let before = codesBefore
        if filler != 0, Set(before).count < before.count { return .counted }
        return filler != 0 && payload.count - end >= 3
            && RecordSplitter.isUsualFiller(payload, from: end) ? .counted : nil
    }

    /// Whether an ECU on CAN may have sent three codes without their count, as ECUs before CAN do.
    ///
    /// The length in a frame ends after the last code (ISO 15031-5), so that `43 01 33 00 00 00 00` is as likely
    /// P0133 and two empty entries as P3300 and padding. `43 01 04 20 00 00 00` ends in three bytes of padding,
    /// which are no empty entries. An adapter without headers may add the padding.
    func mayLackItsCount(_ answer: Answer, _ evidence: FamilyEvidence) -> Bool {
        guard isEither, payload[end - 1] == payload[end] else { return false }
        return answer.ecu != nil || evidence.filler != payload[end]
    }

    /// The codes, if there is a count.
    var codesOnCAN: [DTC] { codes(stride(from: 2, to: min(end, payload.count - 1), by: 2)) }

    /// The codes before CAN, where a list has no count.
    var codesBefore: [DTC] { codes(stride(from: 1, to: payload.count - 1, by: 2)) }

    private func codes(_ places: some Sequence<Int>) -> [DTC] {
        places.compactMap { place in
            let code = UInt16(payload[place]) << 8 | UInt16(payload[place + 1])
            return code == 0 ? nil : DTC(code)
        }
    }
}

extension ResponseDecoder {
    /// Notes the evidence of an exchange for the vehicle's protocol family.
    ///
    /// Call this method before decoding the messages. Where headers are off, the evidence can settle how
    /// lists of codes are read.
    public mutating func note(_ messages: [ECUMessage], in exchange: Exchange) {
        for message in messages { note(message, in: exchange) }
        noteEnd()
    }

    /// Notes the evidence of one message; call ``noteEnd()`` after the last one.
    @inline(__always)
    public mutating func note(_ message: ECUMessage, in exchange: Exchange) {
        if let family = exchange.family ?? exchange.vehicleProtocol?.family {
            evidence.note(family)
            if message.ecu != nil || family != .can || evidence.knowsPadding { return }
        }
        noteContent(message, exchange)
    }

    private mutating func noteContent(_ message: ECUMessage, _ exchange: Exchange) {
        guard message.parameterGroup == nil else { return }
        // Another reading of an adapter that is known not to pad shows nothing new.
        if evidence.isUnpadded, message.ecu == nil, (3..<7).contains(message.payload.count),
            message.payload[0] == 0x41, message.payload[1] != 0x01
        {
            return
        }
        if let form = message.ecu?.form {
            evidence.note(form == .byte ? .iso9141 : .can)
            return
        }
        if let answers = joinedAnswers(message, exchange) {
            for one in answers { noteContent(one, exchange) }
            return
        }
        let table = table
        evidence.note(bare: message.payload, frames: message.frames) { id in
            guard let place = table.recordPlace(id, from: nil) else { return nil }
            let length = table.records[place].length
            return length.lowerBound == length.upperBound ? length.lowerBound : nil
        }
    }

    /// Notes the family that the conversation shows without a message.
    public mutating func note(_ family: VehicleProtocol.Family) { evidence.note(family) }

    /// Notes that all messages of an exchange were noted.
    public mutating func noteEnd() { evidence.endExchange() }

    /// Whether `message` has two meanings that the noted facts do not decide.
    public func isUnsettled(_ message: ECUMessage, in exchange: Exchange) -> Bool {
        guard message.mayHaveTwoMeanings else { return false }
        if let answers = joinedAnswers(message, exchange) {
            return answers.contains { isUnsettled($0, in: exchange) }
        }
        switch message.payload.first {
        case 0x43, 0x47:
            let list = CodeListForm(message.payload)
            return exchange.family == nil && exchange.vehicleProtocol == nil && !evidence.isSure
                && list.isEither && list.settled(by: evidence) == nil
        case 0x59:
            return hasUnsettledRecord(Answer(message, in: exchange, evidence))
        default: return false
        }
    }
}

extension ECUMessage {
    /// Whether other answers may have to tell what this message means: a list of codes, or a refusal that
    /// one may follow, in a line without a header.
    public var mayHaveTwoMeanings: Bool {
        guard ecu == nil, parameterGroup == nil, frames <= 1 else { return false }
        return switch payload.first {
        case 0x43, 0x47, 0x59, Service.negativeResponse.rawValue: true
        default: false
        }
    }
}
