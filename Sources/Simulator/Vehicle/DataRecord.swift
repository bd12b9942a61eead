/// A quantity as the simulated ECU encodes it: a formula of the scenario, no row of the PID table.
///
/// What goes in (``value``) and what the scan tool makes of it can so be compared.
struct Field: Sendable {
    /// The SAE J1979-DA name.
    var name: String
    /// Bytes it occupies.
    var bytes: Int
    /// Raw counts per unit.
    var perUnit: Double
    /// The raw count of the value 0.
    var zero: Double
    /// Whether the raw count is a two's complement number.
    var signed: Bool
    /// The physical value.
    var value: @Sendable (VehicleState) -> Double

    /// A field of `bytes` bytes.
    init(
        _ name: String, bytes: Int = 1, perUnit: Double = 1, zero: Double = 0, signed: Bool = false,
        _ value: @escaping @Sendable (VehicleState) -> Double
    ) {
        self.name = name
        self.bytes = bytes
        self.perUnit = perUnit
        self.zero = zero
        self.signed = signed
        self.value = value
    }

    /// The value that the sensor sees: like a real one it stops at the ends of its range.
    func meant(_ state: VehicleState) -> Double {
        let top = signed ? Double(1 << (bytes * 8 - 1)) - 1 : Double(1 << (bytes * 8)) - 1
        let bottom = signed ? -Double(1 << (bytes * 8 - 1)) : 0
        let physical = value(state)
        let lowest = (bottom - zero) / perUnit
        let highest = (top - zero) / perUnit
        return physical.isNaN ? lowest : max(lowest, min(highest, physical))
    }

    /// The raw count.
    func count(_ state: VehicleState) -> Int64 {
        Int64((meant(state) * perUnit + zero).rounded())
    }

    /// Appends the raw bytes, most significant first.
    func append(_ state: VehicleState, to output: inout [UInt8]) {
        let bits = UInt64(bitPattern: count(state))
        for index in stride(from: bytes - 1, through: 0, by: -1) {
            output.append(UInt8(truncatingIfNeeded: bits >> UInt64(index * 8)))
        }
    }
}

/// The data behind one PID or DID: fields and fixed bytes in their order on the wire.
struct DataRecord: Sendable {
    /// One piece of a record.
    enum Part: Sendable {
        /// A quantity.
        case field(Field)
        /// Bytes that never change: support flags, kinds of sensor, unused positions.
        case fixed([UInt8])
        /// Bytes that need more than one quantity.
        case computed(@Sendable (VehicleState) -> [UInt8])
    }

    /// PID or DID.
    var id: UInt32
    /// The pieces in order.
    var parts: [Part]

    /// A record of one quantity.
    init(_ id: UInt32, _ field: Field) {
        self.init(id, [.field(field)])
    }

    /// A record of several pieces.
    init(_ id: UInt32, _ parts: [Part]) {
        self.id = id
        self.parts = parts
    }

    /// The raw bytes.
    func bytes(_ state: VehicleState) -> [UInt8] {
        var output: [UInt8] = []
        for part in parts {
            switch part {
            case .field(let field): field.append(state, to: &output)
            case .fixed(let bytes): output += bytes
            case .computed(let make): output += make(state)
            }
        }
        return output
    }

    /// The quantities in it.
    var fields: [Field] {
        parts.compactMap { part in
            if case .field(let field) = part { return field }
            return nil
        }
    }
}
