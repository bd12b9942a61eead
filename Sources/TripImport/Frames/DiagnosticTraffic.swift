import Diagnostics
import OBDCore
import VehicleLink

package struct TableAddresses: Sendable {
    /// The address bytes that may come before the data at an identifier; with an empty list, none.
    private(set) var targets: Set<ECUAddress> = []
    private(set) var responders: Set<ECUAddress> = []
    /// The identifiers of both.
    private(set) var identifiers: Set<UInt32> = []
    /// The identifiers of frames that ECUs send by themselves.
    private var heard: Set<ECUAddress> = []
    /// The parameter groups of SAE J1939 in tables that the user named for this log.
    package private(set) var namedGroups: Set<UInt32> = []

    /// Whether frames other than those of diagnostics and of the groups of SAE J1939 are known.
    var hasFrames: Bool { !heard.isEmpty || !namedGroups.isEmpty }

    /// Whether frames with an identifier are known, and cannot be diagnostic.
    func isHeard(_ address: ECUAddress) -> Bool {
        guard !heard.isEmpty, heard.contains(address) else { return false }
        return address.form == .can29
            ? !DiagnosticTraffic.isNormalFixed(address.value) : address.value < 0x700
    }

    package init(_ table: PIDTable) {
        for record in table.records {
            if let address = record.dataID.frameAddress { heard.insert(address) }
            if record.isNamed, record.dataID.service == DataID.parameterGroups {
                namedGroups.insert(record.dataID.id)
            }
            if let target = record.target, target.form == .can11 || target.form == .can29 {
                targets.insert(target)
                identifiers.insert(target.value)
            }
            if let responder = record.responder,
                responder.form == .can11 || responder.form == .can29
            {
                responders.insert(responder)
                identifiers.insert(responder.value)
            }
        }
    }
}

/// Finds requests and answers of OBD and UDS, and diagnostic messages of SAE J1939, among the frames of one bus.
///
/// OBD has its own identifiers for requests and answers. Elsewhere, a message counts as an answer if it repeats
/// service and identifier of a recent request. How much else is needed depends on what is known: addresses of
/// ``DiagnosticAddressRule`` and of tables carry diagnostics, and so does a pair of addresses that has proved
/// itself; on any other identifier, an answer must repeat two bytes of identifier after a request with
/// padding. A bus speaks SAE J1939 if a frame shows it: see ``J1939/provesProtocol(_:_:)``.
package struct DiagnosticTraffic: Sendable {
    /// A message of an ECU with its request; nil if the log does not contain the request.
    package struct Answer: Sendable {
        package var message: ECUMessage
        package var request: [UInt8]?
        package var asked: ECUAddress?
        package var time: Int64
    }

    /// The kind of a frame.
    package enum Event: Sendable {
        /// The last frame of a message of an ECU.
        case answer(Answer)
        /// The last frame of a request of OBD.
        case request([UInt8], ECUAddress)
        /// A request if an answer to it follows.
        case question
        /// Another part of diagnostics; `asked` is the address of the request that it answers.
        case part(asked: ECUAddress?)
        /// A frame that is not valid at this point of an answer.
        case fault(LinkError)
        /// A further frame of an answer without its first frame, as where a recording began in the middle of it.
        case headless(LinkError)
        /// Neither a request nor an answer.
        case foreign
    }

    private struct Question {
        var payload: [UInt8]
        var time: Int64
        /// Whether bytes after the request are padding.
        var isPadded: Bool
        /// The frames that count only once an answer proves that they are diagnostic.
        var frames: Int
    }

    private let known: TableAddresses
    /// The vehicle that the log names; nil until a VIN was read.
    private var vehicle: VIN?
    private var plain: [ECUAddress: ISO15765Assembler] = [:]
    /// Where an address byte comes before the data.
    private var addressed: [ECUAddress: ISO15765Assembler] = [:]
    private var groups = J1939Assembler()
    private var owners = AddressOwners()
    /// Whether the times of frames are finer than seconds; times in whole seconds do not show that a frame is late.
    private var hasFineTimes = false
    /// Whether the bus speaks SAE J1939; nil until a frame shows it.
    private var isJ1939: Bool?
    /// The last request of each address, with its address byte.
    private var questions: [ECUAddress: Question] = [:]
    private var lastQuestion: Int64?
    /// The request address of each address that has answered.
    private var pairs: [ECUAddress: ECUAddress] = [:]
    /// The number of frames of open messages, outside OBD.
    private var open: [ECUAddress: Int] = [:]
    /// Identifiers whose frames are not all messages of ISO 15765-2.
    private var noise: Set<UInt32> = []
    /// Identifiers of requests and answers.
    private(set) var members: Set<UInt32> = []
    private(set) var diagnosticFrames = 0

    /// The time limit for an answer, even from an ECU that asks for more time; unit: microseconds.
    private static let patience: Int64 = 6_000_000
    /// The greatest number of identifiers; diagnostics needs fewer.
    private static let most = 512

    /// A bus of which nothing was seen; `isJ1939` is nil if the frames have to show whether it speaks SAE J1939.
    package init(_ known: TableAddresses, isJ1939: Bool? = nil) {
        self.known = known
        self.isJ1939 = isJ1939
    }

    /// Whether an identifier is reserved for OBD.
    private static func isOBD(_ address: ECUAddress) -> Bool {
        switch address.form {
        case .can11: address.value == 0x7DF || (0x7E0...0x7EF).contains(address.value)
        default:
            address.value & 0x1FFF_00FF == 0x18DB_00F1
                || address.value & 0x1FFF_00FF == 0x18DA_00F1
                || address.value & 0x1FFF_FF00 == 0x18DA_F100
        }
    }

    /// Whether 29 bits are an identifier of normal fixed addressing (ISO 15765-2).
    static func isNormalFixed(_ id: UInt32) -> Bool { id >> 16 & 0x3FE == 0xDA }

    private static func isAnswer(_ address: ECUAddress) -> Bool {
        address.form == .can11
            ? (0x7E8...0x7EF).contains(address.value) : address.value & 0x1FFF_FF00 == 0x18DA_F100
    }

    /// Says that other frames show that the bus speaks SAE J1939.
    package mutating func isShownAsJ1939() { isJ1939 = isJ1939 ?? true }

    package mutating func receive(_ frame: LoggedFrame, line: Int) -> Event {
        guard !frame.data.isEmpty else { return .foreign }
        if Self.isOBD(frame.address) { return receiveOBD(frame, line) }
        if known.isHeard(frame.address) { return .foreign }
        if frame.isExtended, let event = receiveGroup(frame, line) { return event }
        guard frame.data.count > 1 else { return .foreign }
        var isQuestion = false
        for isAddressed in [false, true] {
            switch receive(frame, line, isAddressed: isAddressed) {
            case .foreign: continue
            // The same frame may be the other form, too.
            case .question: isQuestion = true
            case let event: return event
            }
        }
        if frame.data[0] >> 4 > 3, !members.contains(frame.id), noise.count < Self.most {
            noise.insert(frame.id)
        }
        return isQuestion ? .question : .foreign
    }

    /// Ends the log; returns the faults of messages that are not complete.
    package mutating func finish() -> [LinkError] {
        var faults = isJ1939 == true ? groups.finish() : []
        for address in plain.keys.sorted() where !isRequest(address) {
            faults += plain[address]?.finish() ?? []
        }
        for address in addressed.keys.sorted() where !isRequest(address) {
            faults += addressed[address]?.finish() ?? []
        }
        return faults
    }

    private func isRequest(_ address: ECUAddress) -> Bool {
        Self.isOBD(address) && !Self.isAnswer(address)
    }

    private mutating func receiveOBD(_ frame: LoggedFrame, _ line: Int) -> Event {
        let address = frame.address
        let control = frame.data[0] >> 4
        if control <= 3 { diagnosticFrames += 1 }
        let message: ECUMessage
        do throws(LinkError) {
            guard let found = try assemble(frame, line, isAddressed: false) else {
                return .part(asked: nil)
            }
            message = found
        } catch {
            // The errors of requests are the tester's.
            return Self.isAnswer(address) ? Self.event(error) : .part(asked: nil)
        }
        if Self.isAnswer(address) {
            let key = question(for: message, at: frame.time)
            if let key { settle(key, message.ecu ?? address) }
            return .answer(answer(message, to: key, frame))
        }
        ask(message.payload, address, frame, isPadded: true, frames: 0)
        return .request(message.payload, address)
    }

    private mutating func answer(
        _ message: ECUMessage, to key: ECUAddress?, _ frame: LoggedFrame
    ) -> Answer {
        vehicle = message.reportedVIN ?? vehicle
        return Answer(
            message: message, request: key.flatMap { questions[$0]?.payload }, asked: key,
            time: frame.time)
    }

    /// Reads a frame of SAE J1939; nil if the bus does not speak that, or is not known to.
    private mutating func receiveGroup(_ frame: LoggedFrame, _ line: Int) -> Event? {
        // SAE J1939 leaves identifiers with both page bits to ISO 15765-3, and CAN FD to SAE J1939-22.
        guard !J1939.isReserved(frame.id), frame.data.count <= ISO15765.frameLength else {
            return nil
        }
        let framed = LinkFrame(header: frame.address, bytes: frame.data, line: line)
        guard isJ1939 ?? J1939.provesProtocol(frame.id, frame.data) else {
            return isJ1939 == nil ? receiveNamedGroup(framed, frame) : nil
        }
        isJ1939 = true
        noteOwner(of: frame)
        do throws(LinkError) {
            guard var message = try groups.receive(framed, at: time(of: frame)) else {
                return .part(asked: nil)
            }
            attribute(&message, of: frame)
            if J1939.diagnostics.contains(message.parameterGroup ?? 0) {
                diagnosticFrames += message.frames
            }
            return .answer(Answer(message: message, time: frame.time))
        } catch {
            return Self.event(error)
        }
    }

    /// Gives up the messages of an ECU whose address another one has since this frame or the time before it.
    private mutating func noteOwner(of frame: LoggedFrame) {
        let source = UInt8(truncatingIfNeeded: frame.id)
        let owner = owners.owner(of: source, at: frame.isTimed ? frame.time : nil)
        if owner.isNew { groups.giveUp(source: source) }
    }

    /// Gives the messages of each ECU that has had an address a sender of its own: `21`, `21/02`.
    private mutating func attribute(_ message: inout ECUMessage, of frame: LoggedFrame) {
        let source = UInt8(truncatingIfNeeded: frame.id)
        let time = frame.isTimed ? frame.time : nil
        let isClaim = message.parameterGroup == J1939.addressClaimed && message.payload.count == 8
        let name = isClaim ? message.payload.reversed().reduce(0) { $0 << 8 | UInt64($1) } : 0
        let owner =
            isClaim ? owners.claim(source, name, at: time) : owners.owner(of: source, at: time)
        if owner.isNew { groups.giveUp(source: source) }
        if owner.number > 1 { message.ecu?.extended = UInt8(owner.number) }
    }

    private static func event(_ error: LinkError) -> Event {
        if case .orphanConsecutiveFrame = error.fault { return .headless(error) }
        return .fault(error)
    }

    /// The message of a group in a table that the user named for this log, on a bus that has not shown its
    /// protocol; nil for any other frame.
    private mutating func receiveNamedGroup(_ framed: LinkFrame, _ frame: LoggedFrame) -> Event? {
        guard !known.namedGroups.isEmpty else { return nil }
        let group = J1939.Identifier(frame.id).parameterGroup
        let isPacket = group == J1939.connectionManagement || group == J1939.dataTransfer
        guard isPacket || known.namedGroups.contains(group),
            let message = try? groups.receive(framed, at: time(of: frame)),
            known.namedGroups.contains(message.parameterGroup ?? 0)
        else { return nil }
        return .answer(Answer(message: message, time: frame.time))
    }

    /// The time of a frame for the time limits of messages; nil if it is not known closely enough.
    private mutating func time(of frame: LoggedFrame) -> Int64? {
        if frame.time % 1_000_000 != 0 { hasFineTimes = true }
        return frame.isTimed && hasFineTimes ? frame.time : nil
    }

    /// The faults of messages that were given up or replaced since the last call.
    package mutating func takeFaults() -> [LinkError] {
        guard !groups.isAtRest else { return [] }
        let faults = groups.takeErrors()
        return isJ1939 == true ? faults : []
    }

    /// The message in a single frame with its length; nil for another frame.
    private static func single(_ data: InlineBytes, _ place: Int) -> Range<Int>? {
        let isLong = data.count > ISO15765.frameLength
        // On CAN FD, 00 and another byte are the length.
        let start = place + (isLong ? 2 : 1)
        guard data.count > start, !isLong || data[place] == 0 else { return nil }
        let length = Int(data[start - 1])
        guard length > 0, isLong || length <= 7, start + length <= data.count else { return nil }
        return start..<start + length
    }

    /// Reads a frame outside OBD.
    private mutating func receive(
        _ frame: LoggedFrame, _ line: Int, isAddressed: Bool
    ) -> Event {
        let place = isAddressed ? 1 : 0
        guard frame.data.count > place + 1 else { return .foreign }
        var address = frame.address
        if isAddressed { address.extended = frame.data[0] }
        let control = frame.data[place]
        switch control >> 4 {
        case 0:
            guard let range = Self.single(frame.data, place) else { return .foreign }
            let message = ECUMessage(ecu: address, payload: Array(frame.data[range]), line: line)
            if let key = question(for: message, at: frame.time) {
                diagnosticFrames += 1
                settle(key, address)
                return .answer(answer(message, to: key, frame))
            }
            guard Self.asks(message.payload), isAddressed || !isAddressedOnly(frame.id) else {
                return .foreign
            }
            let padding = frame.data[range.upperBound...]
            ask(
                message.payload, address, frame,
                isPadded: padding.allSatisfy { $0 == padding.first }, frames: 1)
            return .question
        case 1:
            guard frame.data.count >= ISO15765.frameLength else { return .foreign }
            let start = Array(frame.data[(place + 2)...])
            guard let key = question(for: ECUMessage(ecu: address, payload: start), at: frame.time)
            else { return .foreign }
            settle(key, address)
            if open.count >= Self.most { open.removeAll() }
            open[address] = 1
            do throws(LinkError) {
                _ = try assemble(frame, line, isAddressed: isAddressed)
                return .part(asked: key)
            } catch {
                return .fault(error)
            }
        case 2:
            guard let count = open[address] else { return .foreign }
            do throws(LinkError) {
                guard let message = try assemble(frame, line, isAddressed: isAddressed) else {
                    // A recording may lack frames of a message.
                    open[address] =
                        isUnderWay(address, isAddressed: isAddressed) ? count + 1 : nil
                    return .part(asked: pairs[address])
                }
                open[address] = nil
                diagnosticFrames += count + 1
                return .answer(
                    answer(message, to: question(for: message, at: frame.time), frame))
            } catch {
                open[address] = nil
                return .fault(error)
            }
        case 3:
            guard members.contains(frame.id), frame.data[place] & 0x0F <= 2 else { return .foreign }
            diagnosticFrames += 1
            return .part(asked: nil)
        default: return .foreign
        }
    }

    private mutating func assemble(
        _ frame: LoggedFrame, _ line: Int, isAddressed: Bool
    ) throws(LinkError) -> ECUMessage? {
        let framed = LinkFrame(header: frame.address, bytes: frame.data, line: line)
        let key = frame.address
        if isAddressed {
            if addressed[key] == nil, addressed.count >= Self.most { addressed.removeAll() }
            return try addressed[key, default: Self.assembler(isAddressed: true)].receive(framed)
        }
        if plain[key] == nil, plain.count >= Self.most { plain.removeAll() }
        return try plain[key, default: Self.assembler(isAddressed: false)].receive(framed)
    }

    private static func assembler(isAddressed: Bool) -> ISO15765Assembler {
        var assembler = ISO15765Assembler(extendedAddressing: isAddressed)
        assembler.acceptsFD = true
        return assembler
    }

    private func isUnderWay(_ address: ECUAddress, isAddressed: Bool) -> Bool {
        guard isAddressed else { return plain[address]?.isUnderWay(address) ?? false }
        var key = address
        key.extended = nil
        return addressed[key]?.isUnderWay(address) ?? false
    }

    // MARK: Requests

    /// Services whose answers repeat an identifier, which proves that they are answers.
    static let services: Set<UInt8> = [0x01, 0x02, 0x06, 0x09, 0x19, 0x1A, 0x21, 0x22]

    private static func asks(_ payload: [UInt8]) -> Bool {
        guard let service = payload.first else { return false }
        return services.contains(service) && (2...7).contains(payload.count)
            && (service != 0x22 || payload.count % 2 == 1)
    }

    /// Identifiers at which every request has an address byte: BMW's.
    private func isAddressedOnly(_ id: UInt32) -> Bool { id == 0x6F1 }

    private mutating func ask(
        _ payload: [UInt8], _ address: ECUAddress, _ frame: LoggedFrame, isPadded: Bool, frames: Int
    ) {
        if questions[address] == nil, questions.count >= Self.most { questions.removeAll() }
        questions[address] = Question(
            payload: payload, time: frame.time, isPadded: isPadded, frames: frames)
        lastQuestion = max(lastQuestion ?? frame.time, frame.time)
    }

    /// Counts the frames of a request that an answer has proved, and remembers the pair.
    private mutating func settle(_ key: ECUAddress, _ address: ECUAddress) {
        diagnosticFrames += questions[key]?.frames ?? 0
        questions[key]?.frames = 0
        if pairs.count >= Self.most { pairs.removeAll() }
        if members.count >= Self.most { members.removeAll() }
        pairs[address] = key
        members.insert(key.value)
        members.insert(address.value)
    }

    /// The address of the newest request for a message: first the address of its pair, then one to this ECU,
    /// then one to all ECUs.
    private func question(for message: ECUMessage, at time: Int64) -> ECUAddress? {
        guard let ecu = message.ecu, let lastQuestion, time - lastQuestion < Self.patience else {
            return nil
        }
        func fits(_ address: ECUAddress) -> Bool {
            guard let found = questions[address] else { return false }
            return (0..<Self.patience).contains(time - found.time)
                && Self.answers(message.payload, found.payload)
        }
        if let pair = pairs[ecu], fits(pair) { return pair }
        let own = ecu.physicalRequest
        if ecu.extended == nil, fits(own), isTrusted(own, ecu, message.payload) { return own }
        let all = ECUAddress(ecu.form == .can11 ? 0x7DF : 0x18DB_33F1, ecu.form)
        if ecu.extended == nil, fits(all), isTrusted(all, ecu, message.payload) { return all }
        guard !Self.isOBD(ecu), Self.mayAnswer(message.payload) else { return nil }
        return questions.filter { address, question in
            // An ECU never repeats its own request.
            address.value != ecu.value && address.form == ecu.form
                && (address.extended == nil) == (ecu.extended == nil) && fits(address)
                && isTrusted(address, ecu, message.payload)
        }.max { ($0.value.time, $0.key) < ($1.value.time, $1.key) }?.key
    }

    private static func mayAnswer(_ payload: [UInt8]) -> Bool {
        payload.first.map { $0 == 0x7F || services.contains($0 &- 0x40) } ?? false
    }

    /// Whether an answer repeats a request on purpose, by its addresses and by the bytes that it repeats.
    private func isTrusted(
        _ request: ECUAddress, _ ecu: ECUAddress, _ payload: [UInt8]
    ) -> Bool {
        if Self.isOBD(request), Self.isOBD(ecu) { return true }
        let isUsual =
            request.usualResponder == ecu
            || Self.isMakersPair(request, ecu) || isPairOfStellantis(request, ecu)
            || known.targets.contains(request) && known.responders.contains(ecu)
        let isNamed =
            known.targets.contains(request) || request.isDiagnosticRequest || Self.isOBD(request)
            || isPairOfStellantis(request, ecu)
        // A refusal repeats a single byte.
        if payload.first == 0x7F { return isNamed && isUsual }
        if isNamed && isUsual { return true }
        let isLong = payload.first == 0x62 || payload.first == 0x5A && isUsual
        let isPadded = questions[request]?.isPadded ?? false
        if isNamed { return isLong || !noise.contains(ecu.value) }
        return isPadded && (isLong && !noise.contains(request.value) || isUsual)
    }

    /// Whether a maker's rule makes an ECU answer a request from this address.
    private static func isMakersPair(_ request: ECUAddress, _ ecu: ECUAddress) -> Bool {
        switch request.form {
        // BMW: the tester asks at 6F1 with the ECU's address, which answers at 600 and that address, to F1.
        case .can11 where request.value == 0x6F1:
            return ecu.extended == 0xF1 && ecu.value == 0x600 | UInt32(request.extended ?? 0xFF)
        // GMLAN: 241 is answered at 641.
        case .can11:
            return (0x241...0x25F).contains(request.value) && ecu.value == request.value + 0x400
        // Volkswagen: 17FC007B is answered at 17FE007B.
        case .can29 where request.value & 0x1FFF_FF00 == 0x17FC_0000:
            return ecu.value == request.value | 0x2_0000
        // General Motors: 14DACBF1 is answered at 142AF1CB.
        case .can29 where request.value & 0x1FFF_00FF == 0x14DA_00F1:
            return ecu.value == 0x142A_F100 | (request.value >> 8 & 0xFF)
        default: return false
        }
    }

    /// Whether an ECU of Stellantis answers a request from this address: 6B4 is answered at 694.
    ///
    /// Other makes have other traffic there, so that the log has to show a VIN of Stellantis first.
    private func isPairOfStellantis(_ request: ECUAddress, _ ecu: ECUAddress) -> Bool {
        guard let vehicle, request.form == .can11, ecu.form == .can11,
            (0x6A0...0x6BF).contains(request.value), ecu.value == request.value - 0x20
        else { return false }
        return Self.stellantis.contains(String(vehicle.text.prefix(3)))
    }

    /// The world manufacturer identifiers of Peugeot, Citroën, DS, Opel and Fiat.
    private static let stellantis: Set<String> = [
        "VF3", "VR3", "VF7", "VR7", "VS7", "VR1", "W0L", "W0V", "VXE", "VXK", "ZFA", "ZFC",
    ]

    /// Whether an answer repeats service and identifier of a request, or refuses it.
    private static func answers(_ answer: [UInt8], _ question: [UInt8]) -> Bool {
        guard let service = question.first, let first = answer.first else { return false }
        if first == 0x7F { return answer.count >= 3 && answer[1] == service }
        guard first == service &+ 0x40 else { return false }
        let repeated = service == 0x22 ? 2 : [0x03, 0x07, 0x0A].contains(service) ? 0 : 1
        guard answer.count > repeated, question.count > repeated else { return false }
        if repeated == 1, service == 0x01 || service == 0x02 {
            // If several PIDs are requested, an ECU leaves out those that it does not support.
            return question.dropFirst().contains(answer[1])
        }
        return repeated == 0 || answer[1...repeated].elementsEqual(question[1...repeated])
    }
}

extension ECUMessage {
    /// The VIN in an answer to 09 02, 22 F1 90, or 1A 90; nil for any other.
    fileprivate var reportedVIN: VIN? {
        for start in [[0x49, 0x02, 0x01], [0x62, 0xF1, 0x90], [0x5A, 0x90]] as [[UInt8]]
        where payload.starts(with: start) {
            let text = payload.dropFirst(start.count).prefix(17)
            return text.allSatisfy { $0 < 0x80 } ? VIN(String(decoding: text, as: UTF8.self)) : nil
        }
        return nil
    }
}
