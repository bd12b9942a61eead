import Accessory
public import OBDCore

/// Why the typed text does not select a signal.
public enum SignalError: Explained, Hashable, Sendable {
    /// No PID table has the identifier.
    case unknownID(DataID)
    /// Several ECUs have a record with this identifier, each with its own signals.
    case severalRecords(DataID, of: [ECUAddress])
    /// No signal has the name; names that may be meant.
    case unknownName(String, nearest: [String])
    /// A signal with this name, whose record a user's table replaces.
    case replaced(String, String)
    /// The text after the `@` is not a pace.
    case unknownPace(String)
}

extension SignalError: CustomStringConvertible {
    /// The error in one line.
    public var description: String { explanation.line }
}

extension SignalError {
    /// The typed name is not a signal.
    public var explanation: Explanation {
        switch self {
        case .unknownID(let id):
            return Explanation(
                "no PID table knows \(id)",
                hint: Self.remedy(for: id.service)
                    ?? (VehicleRequest.isReadOnly([id.service.rawValue])
                        ? "raw data of any PID: \"obdscan send \(id.service)\(id.idText)\""
                        : "service \(id.service) may change something in the vehicle"),
                .usage)
        case .severalRecords(let id, let owners):
            return Explanation(
                "\(id) is \(owners.count) records, of "
                    + owners.map(\.description).joined(separator: ", "),
                hint: "name a signal: \"obdscan pids list \(id)\"", .usage)
        case .unknownName(let name, let near):
            let hint: String
            if name.contains(",") {
                hint = "separate signals with blanks: rpm speed"
            } else if let end = name.lastIndex(of: "@"), end != name.startIndex {
                hint = "only live and log take a pace: \(name[..<end])"
            } else if let pid = Self.pid(name) {
                hint = "a PID follows its service: 01:\(pid)"
            } else if name.lowercased() == "all" {
                hint = "\"obdscan live\" shows all signals"
            } else if Self.isConsumption(name) {
                hint =
                    "fuel for a distance is calculated from a drive: record it with \"obdscan log\", then "
                    + "\"obdscan trips fuel\""
            } else if near.isEmpty, name.contains(" ") {
                hint = "separate signals with blanks, without quotes: \(name)"
            } else if let unit = ["seconds", "minutes", "min", "hours"].first(where: { $0 == name })
            {
                hint = "a time is written without a space: 5\(unit.prefix(1))"
            } else if near.isEmpty {
                let isWords = name.utf8.count > 2 && name.allSatisfy { $0.isLetter || $0 == " " }
                hint =
                    Self.service(name).flatMap(Self.remedy)
                    ?? (isWords
                        ? "\"obdscan pids list \(name)\" looks for it in all names"
                        : "\"obdscan pids list\" shows all names")
            } else {
                hint = "did you mean \(near.joined(separator: ", "))?"
            }
            return Explanation("no signal is called \"\(name)\"", hint: hint, .usage)
        case .replaced(let name, let signal):
            return Explanation(
                "\"\(name)\" is \(signal), whose record your own table replaces",
                hint: "name a signal of that table; \"obdscan pids lint FILE\" says what it hides",
                .usage)
        case .unknownPace(let text):
            return Explanation(
                "\"\(text)\" is not an interval or a rate",
                hint: "rpm@10Hz, ect@5s, ect@200ms, maf@fast for as often as the link allows, or "
                    + "ect@slow for once in 10 s",
                .usage)
        }
    }

    /// Whether a word means fuel for a distance, for which SAE J1979 has no PID.
    package static func isConsumption(_ name: String) -> Bool {
        let letters = name.lowercased().filter { $0.isLetter || $0.isNumber }
        return [
            "mpg", "kmpl", "kml", "l100km", "consumption", "economy", "fueleconomy", "gasmileage",
            "averageconsumption", "instantconsumption",
        ].contains(letters)
    }

    /// The two digits of a PID without its service: `0C`, `0x0C`, `$0C`, `PID 0C`.
    private static func pid(_ text: String) -> String? {
        var digits = text.uppercased()[...]
        for start in ["PID ", "0X", "$"] where digits.hasPrefix(start) {
            digits = digits.dropFirst(start.count)
        }
        let isNumber = digits.utf8.count == 2 && Hex.bytes(String(digits)) != nil
        return isNumber && (digits.count < text.count || service(text).flatMap(remedy) == nil)
            ? String(digits) : nil
    }

    /// The service for a text of two digits.
    private static func service(_ text: String) -> Service? {
        text.utf8.count == 2 ? Hex.bytes(text).flatMap(\.first).map { Service($0) } : nil
    }

    /// The command for a service without measured values; nil for other services.
    private static func remedy(for service: Service) -> String? {
        switch service {
        case .freezeFrame: "\"obdscan freeze\" shows freeze frames"
        case .storedCodes, .pendingCodes, .permanentCodes, .readCodeInformation:
            "\"obdscan dtc\" shows trouble codes"
        case .clearCodes, .clearDiagnosticInformation: "\"obdscan dtc clear\" clears trouble codes"
        case .oxygenSensorTests, .monitorTests: "\"obdscan monitors\" shows test results"
        default: nil
        }
    }
}
