import Diagnostics
import OBDCore
import ScanSession
import VehicleScan

/// Gives the coach of a live test the readings of the engine's ECU, as quantities, and says what to ask for its steps.
package struct TestReadings {
    private let knowledge: DriveKnowledge
    private let bySignal: [SignalIndex: (quantity: DriveQuantity, preference: Int)]
    /// The quantities of each record.
    private let byRecord: [DataID: Set<DriveQuantity>]
    /// The best signal of each quantity so far.
    private var preferences: [DriveQuantity: Int] = [:]
    /// What each ECU has told so far.
    private var told: [ECUAddress?: Set<DriveQuantity>] = [:]
    /// The ECU that tells most of those with an engine speed; a transmission tells it, too, and may answer first.
    private var ecu: ECUAddress??

    package init(_ table: PIDTable, _ knowledge: DriveKnowledge) {
        self.knowledge = knowledge
        var bySignal: [SignalIndex: (quantity: DriveQuantity, preference: Int)] = [:]
        var byRecord: [DataID: Set<DriveQuantity>] = [:]
        for record in table.records {
            let id = knowledge.standard(record.dataID)
            for index in record.signals {
                let signal = SignalIndex(rawValue: index)
                guard let (quantity, preference) = knowledge.quantity(of: table[signal], in: id)
                else { continue }
                bySignal[signal] = (quantity, preference)
                byRecord[id, default: []].insert(quantity)
            }
        }
        self.bySignal = bySignal
        self.byRecord = byRecord
    }

    // MARK: Requests

    /// Leaves out of a set-up what no quantity needs.
    package func choose(_ setup: inout PollSetup) {
        let needed = setup.wants.filter { byRecord[knowledge.standard($0.dataID)] != nil }
        if !needed.isEmpty { setup.wants = needed }
    }

    /// Whether a set-up asks for a quantity.
    package func has(_ quantity: DriveQuantity, in setup: PollSetup) -> Bool {
        setup.wants.contains {
            byRecord[knowledge.standard($0.dataID)]?.contains(quantity) ?? false
        }
    }

    /// The plan for what the coach wants now.
    package func plan(_ setup: PollSetup, for coach: Coach) -> PollPlan {
        if coach.wantsVoltageOnly { return PollPlan(wants: [], voltagePeriod: .zero) }
        var setup = setup
        setup.readsVoltage = true
        setup.voltagePeriod = .seconds(1)
        let fast = coach.step?.fast ?? []
        for place in setup.wants.indices {
            let id = knowledge.standard(setup.wants[place].dataID)
            let isFast = !(byRecord[id]?.isDisjoint(with: fast) ?? true)
            let usual =
                id.service == .currentData ? UInt8(exactly: id.id).flatMap(PollSetup.pace) : nil
            setup.wants[place].period = isFast ? nil : usual ?? .seconds(2)
        }
        return setup.plan
    }

    // MARK: Answers

    /// Gives the coach the readings of a batch; `start` is the start of the trip.
    package mutating func feed(_ batch: ReadingBatch, since start: Instant, to coach: inout Coach) {
        let t = (batch.answered - start).nanoseconds / 1_000
        if let volts = batch.voltage { coach.take(adapterVoltage: volts, t: t) }
        for case .reading(let reading) in batch.items {
            guard reading.frame == nil, let (quantity, preference) = bySignal[reading.signal]
            else { continue }
            guard let value = reading.value.amount else { continue }
            if told[reading.ecu, default: []].insert(quantity).inserted { chooseECU(reading.ecu) }
            if let ecu, reading.ecu != ecu {
                // What protects the engine and the battery may come from any ECU.
                guard [.coolant, .voltage, .oilPressure].contains(quantity),
                    !(told[ecu]?.contains(quantity) ?? false)
                else { continue }
            }
            guard preference <= preferences[quantity] ?? .max else { continue }
            preferences[quantity] = preference
            coach.take(value, quantity, t: t)
        }
    }

    /// Chooses an ECU that has told something new, if it tells more than the one so far.
    private mutating func chooseECU(_ other: ECUAddress?) {
        guard let found = told[other], found.contains(.engineSpeed) else { return }
        if let ecu {
            guard ecu != other, found.count > told[ecu]?.count ?? 0 else { return }
        }
        ecu = .some(other)
        preferences = [:]
    }

    /// The counters of misfires in this driving cycle, one of each cylinder.
    package static func misfires(
        in items: [DiagnosticItem]
    ) -> [(monitor: UInt8, test: MonitorTestResult)] {
        items.compactMap { item in
            guard case .monitorTest(let test) = item, test.tid == 0x0C, let monitor = test.mid,
                (0xA2...0xAD).contains(monitor)
            else { return nil }
            return (monitor, test)
        }
    }

    /// Gives the coach the misfires that an ECU has counted.
    package func feed(
        misfiresIn items: [DiagnosticItem], at time: Instant, since start: Instant,
        to coach: inout Coach
    ) {
        let t = (time - start).nanoseconds / 1_000
        for (monitor, test) in Self.misfires(in: items) {
            guard let count = test.value else { continue }
            coach.take(misfires: count, of: "\(test.ecu?.description ?? "") \(monitor)", t: t)
        }
    }

    /// Gives the coach a list of codes.
    ///
    /// Permanent codes are not the present ones, and an ECU that did not answer has said nothing.
    package func feed(_ list: CodeScan.List, since start: Instant, to coach: inout Coach) {
        if list.kind == .permanent { return }
        let t = (list.asked.answer.answered - start).nanoseconds / 1_000
        for ecu in Set(list.asked.answers.map(\.ecu)) where list.told(by: ecu) == .list {
            let codes = list.items.compactMap { item -> String? in
                guard case .code(let report) = item, report.ecu == ecu else { return nil }
                return report.code.text
            }
            coach.take(codes: codes, of: "\(list.kind) \(ecu?.description ?? "")", t: t)
        }
    }
}

extension Reading.Value {
    /// The number, flag (0, 1) or code; nil for anything else.
    fileprivate var amount: Double? {
        switch self {
        case .number(let number): number
        case .flag(let flag): flag ? 1 : 0
        case .label(let code): Double(code)
        default: nil
        }
    }
}
