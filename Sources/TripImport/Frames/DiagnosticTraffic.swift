import Diagnostics
import OBDCore
import VehicleLink

/// Finds requests and answers of OBD and UDS among the frames of one bus.
///
/// OBD has its own identifiers for requests and answers. On other identifiers, a message counts as
/// an answer if it repeats service and identifier of a recent request.
struct DiagnosticTraffic {
    /// A message of an ECU with its request; nil if the log does not contain the request.
    struct Answer {
        var message: ECUMessage
        var request: [UInt8]?
        var time: Int64
    }

    private var assemblers: [ECUAddress: ISO15765Assembler] = [:]
    /// The last request of each address.
    private var questions: [ECUAddress: (payload: [UInt8], time: Int64)] = [:]
    /// The number of frames of incomplete messages, on identifiers outside OBD.
    private var frames: [ECUAddress: Int] = [:]
    /// The number of diagnostic frames.
    private(set) var diagnosticFrames = 0

    /// The time limit for an answer, even from an ECU that asks for more time; unit: microseconds.
    private static let patience: Int64 = 6_000_000
    /// The greatest number of identifiers; diagnostics needs fewer.
    private static let most = 512

    /// Whether an identifier is reserved for OBD.
    private static func isOBD(_ address: ECUAddress) -> Bool {
        switch address.form {
        case .can11: address.value == 0x7DF || (0x7E0...0x7EF).contains(address.value)
        default:
            address.value == 0x18DB_33F1 || address.value & 0x1FFF_00FF == 0x18DA_00F1
                || address.value & 0x1FFF_FF00 == 0x18DA_F100
        }
    }

    private static func isAnswer(_ address: ECUAddress) -> Bool {
        address.form == .can11
            ? (0x7E8...0x7EF).contains(address.value) : address.value & 0x1FFF_FF00 == 0x18DA_F100
    }

    /// Reads a frame; calls `body` with the answer that it completes.
    mutating func receive(_ frame: LoggedFrame, line: Int, _ body: (Answer) throws -> Void) rethrows
    {
        guard !frame.data.isEmpty, frame.data.count <= ISO15765.frameLength else { return }
        let address = frame.address
        let owned = Self.isOBD(address)
        let control = frame.data[0] >> 4
        // Flow control carries no data, but belongs to diagnostics.
        if control == 3 {
            if owned || frames[address] != nil { diagnosticFrames += 1 }
            return
        }
        guard control <= 2, owned || mayBegin(frame, control, address) else { return }
        if assemblers[address] == nil, assemblers.count >= Self.most { assemblers.removeAll() }
        if frames.count >= Self.most { frames.removeAll() }
        var message: ECUMessage?
        do throws(LinkError) {
            message = try assemblers[address, default: ISO15765Assembler()].receive(
                LinkFrame(header: address, bytes: frame.data, line: line))
        } catch {
            // A recording may begin and end within a message.
            frames[address] = nil
            if owned { diagnosticFrames += 1 }
            return
        }
        if owned { diagnosticFrames += 1 } else { frames[address, default: 0] += 1 }
        guard let message, let service = message.payload.first else { return }
        let count = frames.removeValue(forKey: address) ?? 0
        if Self.isAnswer(address) {
            try body(
                Answer(
                    message: message, request: question(for: message, at: frame.time),
                    time: frame.time))
            return
        }
        if owned {
            questions[address] = (message.payload, frame.time)
            return
        }
        if let request = question(for: message, at: frame.time) {
            // The frame of the request was not counted, because only the answer proves that it is
            // diagnostic.
            diagnosticFrames += count + 1
            try body(Answer(message: message, request: request, time: frame.time))
        } else if Self.asks(message.payload, service) {
            if questions.count >= Self.most { questions.removeAll() }
            questions[address] = (message.payload, frame.time)
        }
    }

    /// Whether a frame of any identifier could begin or continue a request or an answer.
    private func mayBegin(_ frame: LoggedFrame, _ control: UInt8, _ address: ECUAddress) -> Bool {
        guard frame.data.count > 1 else { return false }
        switch control {
        case 0:
            let length = Int(frame.data[0])
            guard (1...7).contains(length), frame.data.count > length else { return false }
            let service = frame.data[1]
            return DiagnosticTraffic.services.contains(service)
                || (hasRecentQuestion(at: frame.time)
                    && (service == 0x7F || DiagnosticTraffic.services.contains(service &- 0x40)))
        case 1:
            return frame.data.count > 3 && hasRecentQuestion(at: frame.time)
                && DiagnosticTraffic.services.contains(frame.data[2] &- 0x40)
        default: return frames[address] != nil
        }
    }

    private func hasRecentQuestion(at time: Int64) -> Bool {
        questions.values.contains { (0..<Self.patience).contains(time - $0.time) }
    }

    /// Services whose answers repeat an identifier, which proves that they are answers.
    private static let services: Set<UInt8> = [0x01, 0x02, 0x06, 0x09, 0x19, 0x1A, 0x21, 0x22]

    private static func asks(_ payload: [UInt8], _ service: UInt8) -> Bool {
        services.contains(service) && (2...7).contains(payload.count)
            && (service != 0x22 || payload.count % 2 == 1)
    }

    /// The newest request for a message: first one to this ECU, then one to all ECUs.
    private func question(for message: ECUMessage, at time: Int64) -> [UInt8]? {
        guard let ecu = message.ecu else { return nil }
        func fits(_ address: ECUAddress) -> [UInt8]? {
            guard let found = questions[address],
                (0..<Self.patience).contains(time - found.time),
                Self.answers(message.payload, found.payload)
            else { return nil }
            return found.payload
        }
        if let own = fits(ecu.physicalRequest) { return own }
        let all = ECUAddress(ecu.form == .can11 ? 0x7DF : 0x18DB_33F1, ecu.form)
        if let functional = fits(all) { return functional }
        guard !Self.isOBD(ecu) else { return nil }
        return questions.filter { $0.key != ecu && !Self.isOBD($0.key) }
            .max { $0.value.time < $1.value.time }.flatMap { fits($0.key) }
    }

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
