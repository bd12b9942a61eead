/// The value of a field: a quantity of the drive with a factor and an addend, or a constant.
struct Term: Hashable, Sendable {
    /// The quantity; nil for ``addend`` only.
    var quantity: Quantity?
    /// Whether to use only the integer part of the quantity.
    var isWhole = false
    var factor = 1.0
    var addend = 0.0

    /// The value at a given time.
    func value(_ state: VehicleState) -> Double {
        guard let quantity else { return addend }
        let value = quantity.value(state)
        return (isWhole ? value.rounded(.down) : value) * factor + addend
    }
}

/// A quantity as the simulated ECU encodes it, with a formula from the vehicle file and not from the PID
/// table.
///
/// Tests can thus compare the encoded value (``value``) with the one that the scan tool decodes.
struct Field: Hashable, Sendable {
    /// The SAE J1979-DA name; empty if it must not be compared.
    var name: String
    /// The number of bytes, 1…8.
    var bytes: Int
    /// Raw counts per unit.
    var perUnit = 1.0
    /// The raw count of the value 0.
    var zero = 0.0
    /// Whether the raw count is a two's complement number.
    var signed = false
    /// Whether the least significant byte comes first.
    var little = false
    var value: Term

    /// The value that the sensor measures; like a real sensor, it is limited to its range.
    func meant(_ state: VehicleState) -> Double {
        let bits = min(bytes * 8, 52)
        let top = signed ? Double(1 << (bits - 1)) - 1 : Double(1 << bits) - 1
        let bottom = signed ? -Double(1 << (bits - 1)) : 0
        let physical = value.value(state)
        let lowest = (bottom - zero) / perUnit
        let highest = (top - zero) / perUnit
        return physical.isNaN ? lowest : max(lowest, min(highest, physical))
    }

    func count(_ state: VehicleState) -> Int64 {
        Int64((meant(state) * perUnit + zero).rounded())
    }

    /// Appends the raw bytes.
    func append(_ state: VehicleState, to output: inout [UInt8]) {
        let bits = UInt64(bitPattern: count(state))
        for index in 0..<bytes {
            let place = little ? index : bytes - 1 - index
            output.append(UInt8(truncatingIfNeeded: bits >> UInt64(place * 8)))
        }
    }
}

/// The data after a PID, DID or parameter group: fields and fixed bytes in the order of the wire.
struct DataRecord: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// A quantity.
        case field(Field)
        /// Bytes that never change: support flags, kinds of sensor, text, unused positions.
        case fixed([UInt8])
    }

    /// PID, DID or parameter group.
    var id: UInt32
    /// The parts in order.
    var parts: [Part] = []

    func bytes(_ state: VehicleState) -> [UInt8] {
        var output: [UInt8] = []
        for part in parts {
            switch part {
            case .field(let field): field.append(state, to: &output)
            case .fixed(let bytes): output += bytes
            }
        }
        return output
    }

    var length: Int {
        parts.reduce(0) { sum, part in
            switch part {
            case .field(let field): sum + field.bytes
            case .fixed(let bytes): sum + bytes.count
            }
        }
    }

    var fields: [Field] {
        parts.compactMap { part in
            if case .field(let field) = part { return field }
            return nil
        }
    }
}
