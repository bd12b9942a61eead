public import OBDCore

/// A vehicle to simulate, as described by its file: its drive, its abilities, and its protocol.
///
/// The included files are in `vehicles/`; obdscan-vehicle(5) describes their format.
public struct Scenario: Hashable, Sendable {
    /// A frame that an ECU sends periodically without a request (CAN only).
    struct Broadcast: Hashable, Sendable {
        /// The data field; the record's identifier is the CAN identifier.
        var record: DataRecord
        /// The interval.
        var period: Duration
    }

    /// The name that the user types; for a user's own file its path.
    public var name: String
    /// One line for the user.
    public var title: String
    /// The vehicle's protocol, unless the user chooses another.
    public var vehicleProtocol = VehicleProtocol.can11At500
    var powertrain = Powertrain()
    var cycle = DriveCycle.everyday
    /// The engine model; nil for values that follow the speed by simple formulas.
    var physics: EngineSpec?
    /// The vehicle's ECUs; the first one belongs to the engine.
    var ecus: [ECUModel] = []
    /// The periodic frames on the vehicle's bus.
    var broadcasts: [Broadcast] = []

    /// The names of the included vehicles; the first one is the default.
    static var names: [String] {
        let all = EmbeddedFiles.all.compactMap { name(of: $0.path.description) }
        return ["petrol"] + all.filter { $0 != "petrol" }
    }

    /// The included vehicles; the first one is the default.
    ///
    /// The tests check that every embedded file can be read.
    static var all: [Scenario] { names.compactMap { try? embedded($0) } }

    /// The included vehicle with this name.
    static func embedded(_ name: String) throws(SimulatorError) -> Scenario {
        guard let text = text(of: name) else { throw .unknownScenario(name) }
        do throws(VehicleFileError) {
            var scenario = try VehicleReader.scenario(in: text, file: name + ".vehicle")
            scenario.name = name
            return scenario
        } catch {
            throw .vehicleFile(error)
        }
    }

    /// The text of an included vehicle file; nil if there is none.
    public static func text(of name: String) -> [UInt8]? {
        EmbeddedFiles.all.first { Self.name(of: $0.path.description) == name }?
            .contents.withUTF8Buffer { Array($0) }
    }

    private static func name(of path: String) -> String? {
        path.hasSuffix(".vehicle") ? String(path.dropLast(".vehicle".utf8.count)) : nil
    }

    /// Reads a user's own file; `file` is its name in messages.
    public init(contents: [UInt8], file: String) throws(VehicleFileError) {
        self = try VehicleReader.scenario(in: contents, file: file)
        name = file
    }

    init(name: String, title: String) {
        self.name = name
        self.title = title
    }

    /// A minor ECU, for vehicles that need several.
    static func extraECU(number: Int) -> ECUModel {
        func term(_ quantity: Quantity, _ addend: Double = 0) -> Term {
            Term(quantity: quantity, addend: addend)
        }
        return ECUModel(
            acronym: "AUX\(number)", name: "Auxiliary", address: UInt8(0x28 + number * 8), vin: nil,
            calibrations: ["OBDSIM-AUX-\(1000 + number)"], verification: [0x1000_0000],
            records: [
                DataRecord(
                    id: 0x0D, parts: [.field(Field(name: "VSS", bytes: 1, value: term(.speed)))]),
                DataRecord(
                    id: 0x1C,
                    parts: [.field(Field(name: "OBDSUP", bytes: 1, value: Term(addend: 7)))]),
                DataRecord(
                    id: 0x42,
                    parts: [
                        .field(
                            Field(
                                name: "VPWR", bytes: 2, perUnit: 1000,
                                value: term(.voltage, -0.1)))
                    ]),
            ],
            readiness: ECUModel.Readiness(continuous: 0x04),
            faults: FaultMemory(commandsLamp: false))
    }
}
