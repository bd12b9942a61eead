import Diagnostics
import OBDCore
import TripImport
import TripStore

/// Collects starts, sizes and digests of a file's trips.
struct Survey {
    private var header: (name: String?, tags: [String], vin: VIN?, start: UTC?)?
    private var first: UTC?
    private var firstReading: UTC?
    private var readings = 0
    private var undecoded = 0
    /// FNV-1a, 64 bits.
    private var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private struct Channel: Hashable {
        var ecu: ECUAddress?
        var signal: SignalIndex
    }

    /// The signals of PIDs, and all others.
    private(set) var pids: Set<SignalIndex> = []
    private(set) var others: Set<SignalIndex> = []
    private var sums: [Channel: ImportedTrip.Sum] = [:]
    private typealias Moments = [(time: UTC, value: Double)]
    private var values: [Channel: Moments] = [:]
    /// The number of values of all trips; more than these are only added up.
    private var kept = 0
    private static let mostKept = 4_000_000
    private var done:
        [(
            trip: ImportedTrip, digest: UInt64, sums: [Channel: ImportedTrip.Sum],
            values: [Channel: Moments]
        )] = []

    /// All trips, including the last one; `table` contains their signals.
    package func finished(_ table: PIDTable) -> [ImportedTrip] {
        var survey = self
        survey.close()
        return survey.done.map { trip, digest, sums, values in
            var trip = trip
            var moments: [ImportedTrip.Channel: Moments] = [:]
            for (channel, sum) in sums {
                let isVoltage = channel.signal == Self.voltage
                let name = isVoltage ? Signal.adapterVoltage.id : table[channel.signal].id
                let key = ImportedTrip.Channel(ecu: channel.ecu?.description, signal: name)
                trip.sums[key, default: Self.none] += sum
                moments[key, default: []] += values[channel] ?? []
            }
            if kept <= Self.mostKept {
                trip.values = moments.mapValues { moments in
                    moments.enumerated().sorted {
                        ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
                    }.map(\.element.value)
                }
            }
            // Include the names of signals, because two files may contain the same numbers of
            // different signals.
            survey.digest = digest
            let names = trip.sums.keys.map { ($0.ecu ?? "") + " " + $0.signal }.sorted()
            for byte in names.joined(separator: "\n").utf8 { survey.mix(UInt64(byte)) }
            trip.source = "fnv1a:" + String(survey.digest, radix: 16)
            return trip
        }
    }

    private static let none = ImportedTrip.Sum(readings: 0, numbers: 0, total: 0)
    /// Represents the voltage at the adapter, which is not a signal of a table.
    private static let voltage = SignalIndex(rawValue: -1)

    mutating func take(_ event: ImportEvent) {
        switch event {
        case .trip(let name, let tags, let vin, let start):
            close()
            header = (name, tags, vin, start)
        case .entry(let entry, let time):
            first = first.map { min($0, time) } ?? time
            mix(UInt64(bitPattern: time.microseconds))
            switch entry {
            case .items(let items):
                for item in items {
                    if case .message(let message) = item {
                        undecoded += 1
                        for byte in message.payload { mix(UInt64(byte)) }
                    }
                    guard case .reading(let reading) = item else { continue }
                    note(time)
                    if reading.dataID == nil {
                        others.insert(reading.signal)
                    } else {
                        pids.insert(reading.signal)
                    }
                    count(
                        reading.value.number, Channel(ecu: reading.ecu, signal: reading.signal),
                        at: time)
                    mix(reading.value)
                    for byte in reading.raw { mix(UInt64(byte)) }
                }
            case .voltage(let volts):
                note(time)
                count(volts, Channel(ecu: nil, signal: Self.voltage), at: time)
                mix(volts.bitPattern)
            case .vehicle(let vin): for byte in vin.text.utf8 { mix(UInt64(byte)) }
            case .event, .note, .position, .codeList, .together, .held, .settleHeld: break
            }
        }
    }

    private mutating func close() {
        defer {
            (header, first, firstReading, readings, sums) = (nil, nil, nil, 0, [:])
            undecoded = 0
            values = [:]
            digest = 0xCBF2_9CE4_8422_2325
        }
        guard let first else { return }
        let start = min(header?.start ?? first, first)
        var trip = ImportedTrip(start: start, source: "")
        trip.name = header?.name.flatMap { $0.isEmpty ? nil : $0 }
        trip.tags = header?.tags ?? []
        trip.vin = header?.vin
        (trip.readings, trip.firstReading) = (readings, firstReading)
        trip.undecoded = undecoded
        done.append((trip, digest, sums, values))
    }

    private mutating func note(_ time: UTC) {
        readings += 1
        firstReading = firstReading.map { min($0, time) } ?? time
    }

    private mutating func count(_ value: Double?, _ channel: Channel, at time: UTC) {
        if let value, kept <= Self.mostKept {
            kept += 1
            values[channel, default: []].append((time, value))
            if kept > Self.mostKept { values = [:] }
        }
        sums[channel, default: Self.none] += ImportedTrip.Sum(
            numbers: value == nil ? 0 : 1, total: value ?? 0)
    }

    private mutating func mix(_ value: UInt64) {
        var rest = value
        for _ in 0..<8 {
            digest = (digest ^ (rest & 0xFF)) &* 0x100_0000_01B3
            rest >>= 8
        }
    }

    private mutating func mix(_ value: Reading.Value) {
        switch value {
        case .number(let number): mix(number.bitPattern)
        case .flag(let flag): mix(flag ? 1 : 2)
        case .label(let code): mix(code &+ 3)
        case .text(let text): for byte in text.utf8 { mix(UInt64(byte)) }
        case .supportMap(let raw): mix(UInt64(raw) &+ 4)
        case .missing(let reason, let code):
            mix(code ?? 5)
            for byte in reason.rawValue.utf8 { mix(UInt64(byte)) }
        }
    }
}

extension Reading.Value {
    /// The number for the database's totals.
    fileprivate var number: Double? {
        switch self {
        case .number(let value): value
        case .flag(let isOn): isOn ? 1 : 0
        case .label(let code): Double(code)
        case .supportMap(let raw): Double(raw)
        case .text, .missing: nil
        }
    }
}
