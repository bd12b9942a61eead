import Adapters
import OBDCore

package struct RawCommand: Hashable, Sendable {
    /// The text as typed, without blanks around it.
    package var text: String
    private var payload: [UInt8]?

    /// Reads an AT or ST command or hexadecimal; nil for anything else.
    package init?(typed: String) {
        let isBlank = { (character: Character) in character.isWhitespace }
        let trimmed = String(
            typed.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
        let compact = typed.filter { $0 != " " && $0 != "\t" }
        let upper = compact.uppercased()
        text = upper
        // Some letters beyond ASCII become two of ASCII in upper case.
        let isPrintable = typed.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
        if isPrintable, let bytes = Hex.bytes(upper), !bytes.isEmpty {
            payload = bytes
        } else if AdapterCommand.isTyped(upper), isPrintable, !trimmed.utf8.contains(0x09) {
            // The text as typed: blanks and case count in some commands.
            text = trimmed
        } else {
            return nil
        }
    }

    /// Whether the command is for the adapter itself.
    package var isForAdapter: Bool { payload == nil }

    /// Whether the adapter prints frames until it is stopped.
    package var isMonitoring: Bool { isForAdapter && AdapterRequest.isMonitoring(text) }

    /// Whether the command only reads, or changes nothing that outlives the session, by its meaning under
    /// `settings`.
    package func isReadOnly(_ settings: TypedSettings = TypedSettings()) -> Bool {
        payload.map { settings.isReadOnly($0) } ?? settings.isReadOnlyCommand(text)
    }

    /// The first command that may write to the vehicle or change the adapter, if each command before is
    /// confirmed.
    ///
    /// Without a protocol: if the command may do so in any protocol of the vehicle. Each request is judged
    /// again when the protocol is known.
    package static func firstWriting(
        of commands: [RawCommand], in vehicleProtocol: VehicleProtocol?
    ) -> RawCommand? {
        var first: RawCommand?
        for candidate in vehicleProtocol.map({ [$0] }) ?? VehicleProtocol.allCases {
            var settings = TypedSettings(vehicleProtocol: candidate)
            let writing = commands.first { command in
                if !command.isReadOnly(settings) { return true }
                if command.isForAdapter { settings.take(command.text, isConfirmed: true) }
                return false
            }
            guard let writing else { return nil }
            first = first ?? writing
        }
        return first
    }

    package func request(target: ECUAddress?, _ consent: Consent?) -> AdapterRequest {
        let id = RequestID(rawValue: 0)
        if let payload {
            return .vehicle(
                VehicleRequest(id: id, target: target, payload: payload, consent: consent))
        }
        return .command(id: id, text: text, mayRepeat: true, consent: consent)
    }
}

extension RawCommand {
    /// The command that the user has to type if the shell split it at blanks; nil = no command was split.
    package static func cut(
        in words: [String]
    ) -> (word: String, whole: String, isForAdapter: Bool)? {
        for (place, word) in words.enumerated().dropLast() {
            let rest = words[(place + 1)...]
            let isAdapters = AdapterCommand.isBeginning(word)
            let isRequest =
                isByte(word)
                && Hex.bytes(word).flatMap { ServiceShape.of($0[0]) }.map(needsMore) ?? false
            guard isAdapters || isRequest && rest.first.map(isHex) ?? false else { continue }
            var others = rest.prefix { other in
                isAdapters
                    ? !AdapterCommand.isBeginning(other.prefix(2))
                        && !(other.utf8.count > 3 && isHex(other))
                    : isByte(other)
            }
            // 22 F190
            if others.isEmpty, isRequest { others = rest.prefix(1) }
            let whole = ([word] + others).joined(separator: isAdapters ? " " : "")
            return (word, whole, isAdapters)
        }
        return nil
    }

    private static func isByte(_ word: String) -> Bool {
        word.utf8.count == 2 && word.utf8.allSatisfy { Hex.value($0) != nil }
    }

    /// Whether these are the digits of whole bytes.
    private static func isHex(_ word: String) -> Bool {
        word.utf8.count.isMultiple(of: 2) && word.utf8.allSatisfy { Hex.value($0) != nil }
    }

    /// Whether a service has no meaning without data.
    private static func needsMore(_ shape: ServiceShape) -> Bool {
        shape.request.map { $0.lowerBound > 1 } ?? (shape.selectorWidth > 0)
    }
}
