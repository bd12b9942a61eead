import Diagnostics
import Formats
import OBDCore
import ScanSession
import SystemIO
import VehicleScan

/// Reads what a vehicle says about its past: codes, counters, identity and odometers of every module.
package struct UsedCarScan {
    /// The odometer and VIN that the user sees, and the data of the database.
    package struct Shown {
        /// The odometer on the dashboard; unit: km.
        package var odometer: Double?
        /// Whether the user named the unit of the odometer.
        package var hasNamedUnit: Bool
        /// The VIN on the windscreen.
        package var windscreen: VIN?
        /// The odometer of a vehicle in the database until a time; unit: km.
        package var earlier: (VIN, UTC) -> Double?

        package init(
            odometer: Double?, hasNamedUnit: Bool, windscreen: VIN?,
            earlier: @escaping (VIN, UTC) -> Double? = { _, _ in nil }
        ) {
            self.odometer = odometer
            self.hasNamedUnit = hasNamedUnit
            self.windscreen = windscreen
            self.earlier = earlier
        }
    }

    package let condition: ConditionScan
    package let facts: UsedCarFacts
    /// The addresses that were not asked because the time was over.
    package let unasked: Int
    /// The requests about more than the condition.
    private let more: [QueryResult]

    /// Counters besides those of the condition: long-term fuel trims, distance and time with the check engine
    /// light, run time.
    private static let pids: [UInt8] = [0x07, 0x09, 0x21, 0x4D, 0x7F]
    /// The same in SAE J1939, with the counters since codes were cleared: DM21, DM26 and HOURS.
    private static let groups = [0xC100, 0xFDB8, 0xFEE5].map { DataID(DataID.parameterGroups, $0) }
    /// Info types to request if the vehicle does not announce any.
    private static let infoTypes: [UInt8] = [
        0x02, 0x04, 0x06, 0x08, 0x0A, 0x0B, 0x12, 0x14, 0x17,
    ]

    /// Asks the vehicle; `progress` shows the search for modules.
    package init(
        _ connection: Vehicle, _ services: VehicleServices, _ shown: Shown, _ words: CodeWords,
        progress: (ModuleScanProgress) -> Void
    ) throws {
        condition = try ConditionScan(
            try CodeScan(connection, in: services), connection, services, .tests, words)
        let answers = try VehicleAnswers(connection, services, usual: Self.infoTypes)
        var more = answers.information
        for pid in Self.pids where answers.current.all.contains(pid) {
            more += try connection.ask(.currentData([pid]), in: services)
        }
        if services.profiles.contains(.j1939) {
            for record in connection.table.records where Self.groups.contains(record.dataID) {
                more.append(try connection.ask(.vehicle(connection.request(for: record))))
            }
        }
        let hasIdentifiers = Set(services.profiles).isDisjoint(with: [.j1939, .classicLegacy])
        // The ECUs of OBD answer all at once; the search below finds the other modules.
        if hasIdentifiers { more.append(try connection.ask([0x22, 0xF1, 0x90])) }
        let odometers = try connection.odometers(in: services)
        let spoken =
            connection.scan.link?.capabilities.vehicleProtocol
            ?? services.first?.answer.exchange.vehicleProtocol
        var unasked = 0
        if hasIdentifiers, let spoken,
            let found = try ModuleIdentities(connection, on: spoken, progress: progress)
        {
            more += found.modules.flatMap(\.answers)
            unasked = found.unasked
        }
        self.unasked = unasked
        self.more = more + odometers.map(\.asked)
        var facts = UsedCarFacts()
        facts.take(
            (condition.asked + more).flatMap(\.answer.items), connection.table)
        facts.take(condition.codes, answers.current, connection.table, spoken)
        let ecus = Set(answers.current.byECU.map(\.ecu))
        for odometer in odometers {
            let isEngine =
                ecus.contains(odometer.ecu) || odometer.ecu == nil
                || services.profiles == [.j1939]
            facts.distances.append(
                .init(
                    isEngine ? .engine : .cluster, odometer.kilometres, ecu: odometer.ecu,
                    source: UsedCarFacts.source(odometer.ecu, odometer.dataID)))
        }
        if let kilometres = shown.odometer {
            facts.distances.append(
                .init(
                    .shown, kilometres, source: "dashboard", hasNamedUnit: shown.hasNamedUnit))
        }
        facts.windscreen = shown.windscreen
        if let vin = condition.vin {
            facts.earlierKilometres = shown.earlier(vin, condition.time)
        }
        // SAE J1939 sends the VIN as a parameter group.
        if facts.vins.isEmpty, let vin = condition.vin {
            facts.vins = [.init(ecu: nil, source: "vehicle", vin.text.utf8)]
        }
        self.facts = facts
    }

    /// All requests and their answers.
    package var asked: [QueryResult] { condition.asked + more }
}

extension UsedCarFacts {
    /// `7E8 01:31`.
    static func source(_ ecu: ECUAddress?, _ dataID: DataID?) -> String {
        [ecu?.description, dataID?.description].compactMap(\.self).joined(separator: " ")
    }

    /// The place of an ECU, which is added if it is new.
    private mutating func place(of ecu: ECUAddress?) -> Int {
        if let known = ecus.firstIndex(where: { $0.address == ecu }) { return known }
        ecus.append(ECU(ecu))
        return ecus.count - 1
    }

    /// Takes the values in the answers.
    mutating func take(_ items: [DiagnosticItem], _ table: PIDTable) {
        var seen: Set<StoredVIN> = []
        var counters: [(ecu: ECUAddress?, isZero: Bool)] = []
        var numbers: [(ecu: ECUAddress?, text: String)] = []
        func note(_ vin: StoredVIN, _ vins: inout [StoredVIN]) {
            if seen.insert(vin).inserted { vins.append(vin) }
        }
        for item in items {
            switch item {
            case .reading(let reading) where reading.frame == nil:
                take(current: reading, table)
                guard let id = reading.dataID else { continue }
                if let type = id.infoType {
                    let name = table[reading.signal].id
                    switch (type, reading.value) {
                    case (0x02, _):
                        note(
                            StoredVIN(
                                ecu: reading.ecu, source: Self.source(reading.ecu, id),
                                reading.raw), &vins)
                    case (0x04, .text(let text)):
                        ecus[place(of: reading.ecu)].calibrations.append((text, ""))
                    case (0x06, .text(let text)): numbers.append((reading.ecu, text))
                    case (0x08, .number(let value)), (0x0B, .number(let value)):
                        counters.append((reading.ecu, value == 0))
                        let place = place(of: reading.ecu)
                        if name == "OBDCOND" { ecus[place].conditions = value }
                        if name == "IGNCNTR" {
                            ecus[place].ignitionCycles = value
                        } else if value > ecus[place].highestCounter?.count ?? 0 {
                            ecus[place].highestCounter = (name, value)
                        }
                    case (0x14, .number(let value)):
                        ecus[place(of: reading.ecu)].evaporativeKilometres = value
                    default: continue
                    }
                } else if id == Self.vehicleVIN {
                    note(
                        StoredVIN(
                            ecu: reading.ecu, source: Self.source(reading.ecu, id), reading.raw),
                        &vins)
                } else if id == DataID(.readData, 0xF199) {
                    set(CalendarDay(Array(reading.raw)), of: reading.ecu, \.programmed)
                } else if id == DataID(.readData, 0xF18B) {
                    set(CalendarDay(Array(reading.raw)), of: reading.ecu, \.made)
                }
            case .message(let message):
                if message.payload.starts(with: [0x62, 0xF1, 0x90]) {
                    note(
                        StoredVIN(
                            ecu: message.ecu, source: Self.source(message.ecu, Self.vehicleVIN),
                            message.payload.dropFirst(3)), &vins)
                }
                take(fuelMonitor: message)
            case .monitor(let status) where status.scope == .sinceClear && status.supported:
                let place = place(of: status.ecu)
                ecus[place].monitors.insert(status.monitor)
                guard status.complete == false else {
                    if status.complete == true { ecus[place].complete.insert(status.monitor) }
                    continue
                }
                let title = status.monitor.title.lowercased()
                guard !ecus[place].incomplete.contains(title) else { continue }
                if status.monitor == .evaporative { ecus[place].lacksEvaporative = true }
                ecus[place].incomplete.append(title)
            case .reading, .monitor, .monitorTest, .code, .negativeResponse, .error: continue
            }
        }
        for index in ecus.indices {
            let own = counters.filter { $0.ecu == ecus[index].address }
            ecus[index].countsNothing = !own.isEmpty && own.allSatisfy(\.isZero)
            let verified = numbers.filter { $0.ecu == ecus[index].address }
            // Without a number for each calibration it is not known which belongs to which.
            if verified.count == ecus[index].calibrations.count {
                for (place, number) in verified.enumerated() {
                    ecus[index].calibrations[place].number = number.text
                }
            } else {
                ecus[index].calibrations = []
            }
        }
    }

    private static let vehicleVIN = DataID(.readData, 0xF190)

    private mutating func set(
        _ day: CalendarDay?, of ecu: ECUAddress?, _ key: WritableKeyPath<ModuleDates, CalendarDay?>
    ) {
        guard let day else { return }
        if !dates.contains(where: { $0.ecu == ecu }) { dates.append(ModuleDates(ecu: ecu)) }
        for index in dates.indices where dates[index].ecu == ecu {
            dates[index][keyPath: key] = day
        }
    }

    /// Takes a value of a parameter group of SAE J1939, whose counters end at 64,255 or 250.
    private mutating func take(group reading: Reading, _ table: PIDTable) {
        guard case .number(let value) = reading.value else { return }
        let distance = value >= 64_255 ? 65_535 : value
        let (key, count): (WritableKeyPath<ECU, Double?>, Double)
        switch table[reading.signal].id {
        case "SPN3069": (key, count) = (\.lightKilometres, distance)
        case "SPN3294": (key, count) = (\.clearedKilometres, distance)
        case "SPN3295": (key, count) = (\.lightMinutes, distance)
        case "SPN3296": (key, count) = (\.clearedMinutes, distance)
        case "SPN3302": (key, count) = (\.clearedWarmUps, value >= 250 ? 255 : value)
        case "SPN247": (key, count) = (\.runSeconds, value * 3_600)
        default: return
        }
        ecus[place(of: reading.ecu)][keyPath: key] = count
    }

    /// Takes a current value.
    private mutating func take(current reading: Reading, _ table: PIDTable) {
        if reading.dataID?.service == DataID.parameterGroups {
            return take(group: reading, table)
        }
        guard let pid = reading.currentPID else { return }
        if pid == 0x51, case .label(let code) = reading.value {
            ecus[place(of: reading.ecu)].fuel = code
            if (0x0F...0x16).contains(code) { isHybrid = true }
            if code == 0x08 { isElectric = true }
        }
        guard case .number(let value) = reading.value else { return }
        let key: WritableKeyPath<ECU, Double?>? =
            switch pid {
            case 0x21: \.lightKilometres
            case 0x30: \.clearedWarmUps
            case 0x31: \.clearedKilometres
            case 0x4D: \.lightMinutes
            case 0x4E: \.clearedMinutes
            case 0x7F where table[reading.signal].id == "RUN_TIME": \.runSeconds
            default: nil
            }
        if let key { ecus[place(of: reading.ecu)][keyPath: key] = value }
        if pid == 0x07 || pid == 0x09 { ecus[place(of: reading.ecu)].longTrims.append(value) }
    }

    /// Takes the lifetime distance of a fuel consumption monitor.
    private mutating func take(fuelMonitor message: ECUMessage) {
        let payload = message.payload
        let (id, data): (DataID, ArraySlice<UInt8>)
        if payload.starts(with: [0x49, 0x17]) {
            (id, data) = (DataID(.vehicleInformation, 0x17), payload.dropFirst(2))
        } else if payload.starts(with: [0x62, 0xF8, 0x17]) {
            (id, data) = (DataID(.readData, 0xF817), payload.dropFirst(3))
        } else {
            return
        }
        guard let kilometres = Self.lifetimeDistance(Array(data)) else { return }
        distances.append(
            Distance(
                .lifetime, kilometres, ecu: message.ecu, source: Self.source(message.ecu, id)))
    }

    /// Takes the codes and lists, and the kind of vehicle.
    mutating func take(
        _ codes: CodeScan, _ current: SupportedIDs, _ table: PIDTable, _ spoken: VehicleProtocol?
    ) {
        let ecus = codes.ecus
        hasStoredList = codes.lists.contains { list in
            list.kind == .stored && ecus.contains { list.told(by: $0) == .list }
        }
        hasPermanentList = codes.lists.contains { list in
            list.kind == .permanent && ecus.contains { list.told(by: $0) == .list }
        }
        for report in codes.codes {
            let place = place(of: report.ecu)
            if report.kind == .permanent {
                self.ecus[place].permanentCodes.append(report.fullText)
            } else {
                self.ecus[place].codes.append(report.fullText)
            }
        }
        for ecu in ecus {
            if codes.told(.stored, by: ecu) == .list {
                self.ecus[place(of: ecu)].storedCodes =
                    codes.codes.filter { $0.ecu == ecu && $0.kind == .stored }.map(\.fullText)
                if let difference = codes.difference(of: ecu, table),
                    difference.counted > difference.listed
                {
                    self.ecus[place(of: ecu)].missingCount = difference.counted
                }
            }
            if let light = codes.lampIsOn(ecu, table) {
                self.ecus[place(of: ecu)].lightIsOn = light
            }
        }
        for case .reading(let reading) in codes.status.flatMap(\.answer.items)
        where reading.currentPID == 0x01 && !reading.raw.isEmpty && reading.raw.count == 4 {
            // Bit 3 of byte B: monitors of compression ignition.
            self.ecus[place(of: reading.ecu)].isCompression = reading.raw[1] & 0x08 != 0
        }
        switch spoken?.family {
        case .can: isOnCAN = true
        case .iso9141, .iso14230, .j1850: isOnCAN = false
        case .j1939, nil: isOnCAN = nil
        }
        for index in self.ecus.indices { self.ecus[index].isOnJ1939 = codes.isOnJ1939 }
        // The charge of a traction battery.
        if current.all.contains(where: { $0 == 0x5B || $0 == 0x9A }) { isHybrid = true }
    }
}

extension DataID {
    /// The info type, in SAE J1979 or SAE J1979-2.
    fileprivate var infoType: UInt8? {
        switch service {
        case .vehicleInformation: UInt8(exactly: id)
        case .readData where id & 0xFF00 == 0xF800: UInt8(truncatingIfNeeded: id)
        default: nil
        }
    }
}
