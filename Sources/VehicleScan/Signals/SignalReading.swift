public import Diagnostics
public import OBDCore

/// A value of a signal that was read from a vehicle.
public struct SignalReading: Hashable, Sendable, CustomStringConvertible {
    /// The signal: its names and its unit.
    public var signal: Signal
    /// The ECU that answered; nil if that is not known, and for the voltage at the adapter.
    public var ecu: ECUAddress?
    /// The value.
    public var value: Reading.Value
    /// When the answer was complete.
    public var time: UTC

    /// A value of a signal.
    public init(signal: Signal, ecu: ECUAddress?, value: Reading.Value, time: UTC) {
        self.signal = signal
        self.ecu = ecu
        self.value = value
        self.time = time
    }

    /// The number in the unit of the signal; nil if the value is not a number.
    public var number: Double? {
        if case .number(let number) = value { number } else { nil }
    }

    /// `RPM 1726 rpm`.
    public var description: String { "\(signal.id) \(signal.text(of: value))" }
}

extension Vehicle {
    /// Reads signals once, by their names: `rpm`, `RPM`, `engine-speed`, `01:0C`.
    ///
    /// - Returns: a value for each ECU that answered, in the order of the names.
    /// - Throws: ``SignalError`` for a name that is not a signal, ``VehicleError`` if no ECU answered a request.
    public func read(_ names: [String]) throws -> [SignalReading] {
        let resolved = try resolve(names, paced: false)
        return try SignalQuestion.all(resolved).flatMap { question in
            let asked = try ask(question)
            if let error = asked.error { throw error }
            let time = utc(asked.answer.answered)
            if question.record == nil {
                guard let volts = asked.answer.reply.voltage else {
                    throw asked.status.map { VehicleError.adapterSaid($0) } ?? .noAnswer
                }
                return [voltage(volts, at: time)]
            }
            if let lacks = try unsupported(question, asked) {
                throw VehicleError.notReported([lacks], by: ecu)
            }
            if let problem = problem(of: [asked]) { throw problem }
            return asked.answer.items.compactMap { item in
                guard case .reading(let reading) = item, question.wants(item) else { return nil }
                return signalReading(reading, at: time)
            }
        }
    }

    /// The signals of these names in the services of the vehicle.
    func resolve(_ names: [String], paced: Bool) throws -> [SelectedSignal] {
        let finder = SignalNames(table)
        let selected = try names.map { name in
            let found = try paced ? finder.findPaced(name) : finder.find(name)
            // Which of the packs counts is not known here.
            guard found.record?.packs.isEmpty ?? true else {
                throw SignalError.unknownName(name, nearest: [])
            }
            return found
        }
        try check(selected.compactMap(\.record))
        let resolved = finder.resolve(selected, in: try signalProfiles(for: selected))
        if let unknown = resolved.unknown.first { throw VehicleError.unknownSignal(unknown) }
        return resolved.signals
    }

    func signalReading(_ reading: Reading, at time: UTC) -> SignalReading {
        SignalReading(
            signal: table[reading.signal], ecu: reading.ecu, value: reading.value, time: time)
    }

    func voltage(_ volts: Double, at time: UTC) -> SignalReading {
        SignalReading(signal: .adapterVoltage, ecu: nil, value: .number(volts), time: time)
    }
}
