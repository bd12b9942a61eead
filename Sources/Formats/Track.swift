import Diagnostics
import OBDCore

/// A position of the vehicle with its time.
public struct TrackPoint: Sendable {
    /// The time.
    public var time: UTC
    /// WGS 84; unit: degrees.
    public var latitude, longitude: Double
    /// The altitude above mean sea level; unit: m.
    public var altitude: Double?
    /// The speed over ground; unit: km/h.
    public var speed: Double?
    /// The course from true north; unit: degrees.
    public var course: Double?

    /// A point without the optional values; set them afterwards.
    public init(time: UTC, latitude: Double, longitude: Double) {
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// The last value of each signal while it is fresh.
public struct TrackValues: Sendable {
    /// A value at a point.
    public struct Value: Sendable {
        /// The index of the column.
        public var place: Int
        /// The text in the column's unit.
        public var text: String
    }

    /// A signal of one ECU.
    public struct Column: Sendable {
        /// The signal's short name.
        public var signal: String
        /// The signal's name for people.
        public var name: String
        /// The ECU.
        public var ecu: ECUAddress?
        /// The displayed unit; empty = none.
        public var unit: String
    }

    /// Older values are not used; unit: µs.
    public static let freshness: Int64 = 10_000_000

    /// The columns.
    public let columns: [Column]
    private let places: CSVColumns
    private var latest: [(time: UTC, text: String)?]

    /// Columns without values.
    public init(table: PIDTable, columns: [CSVWide.Column], units: UnitSystem = .metric) {
        places = CSVColumns(table: table, columns: columns, units: units)
        self.columns = zip(places.columns, places.conversions).map { column, conversion in
            let signal = table[column.signal]
            return Column(
                signal: signal.id, name: signal.name, ecu: column.ecu,
                unit: conversion?.unit ?? signal.unit)
        }
        latest = Array(repeating: nil, count: places.columns.count)
    }

    /// Takes a reading.
    public mutating func take(_ reading: borrowing Reading, at time: UTC) {
        guard let place = places.place(of: reading) else { return }
        var text: [UInt8] = []
        switch reading.value {
        case .number(let value):
            let shown = places.conversions[place].map { $0(value) } ?? value
            if shown.isFinite { NumberText.append(shown, to: &text) }
        case .flag(let value): JSONText.append(value, to: &text)
        case .label(let code):
            text = Array((ReadingText.label(code, of: places.table[reading.signal]) ?? "").utf8)
        case .text(let words): text = Array(words.utf8)
        case .supportMap, .missing: break
        }
        latest[place] = text.isEmpty ? nil : (time, String(decoding: text, as: UTF8.self))
    }

    /// The fresh values at `time`.
    public func values(at time: UTC) -> [Value] {
        latest.enumerated().compactMap { place, known in
            guard let known, time.microseconds &- known.time.microseconds <= Self.freshness else {
                return nil
            }
            return Value(place: place, text: known.text)
        }
    }
}

enum XMLText {
    /// Appends text; escapes markup, and replaces characters that XML does not allow with U+FFFD.
    static func append(_ text: String, to output: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: append(raw: "&amp;", to: &output)
            case 0x3C: append(raw: "&lt;", to: &output)
            case 0x3E: append(raw: "&gt;", to: &output)
            case 0x22: append(raw: "&quot;", to: &output)
            case 0x00..<0x09, 0x0B, 0x0C, 0x0E..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF:
                append(raw: "\u{FFFD}", to: &output)
            default: output.append(contentsOf: String(scalar).utf8)
            }
        }
    }

    static func append(raw text: String, to output: inout [UInt8]) {
        output.append(contentsOf: text.utf8)
    }
}
