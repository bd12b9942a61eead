import Diagnostics
import PIDTables
import SimulatorTestSupport

/// A scan tool, a bad link and a vehicle for 20 s of simulated time; the input is the seed.
///
/// The rules are those that `scripts/seeds` counts, and the vehicle's own record is the reference.
func readFaults(_ input: [UInt8]) {
    let seed = faultSeed(input)
    let link = BadLink(seed: seed)
    guard
        var run = try? FaultRun(
            link.address, faults: link.faults, seed: seed, table: tables.0, monitors: tables.1)
    else { fatalError("property broken: \(link.address) cannot be made") }
    let found = run.run(for: .seconds(20))
    let name = "seed \(seed), \(link.vehicle), \(link.faults.rates)"
    require(found.wrong.isEmpty, "\(name): \(found.wrong.prefix(2))")
    require(found.invisible.isEmpty, "\(name): \(found.invisible.prefix(2))")
    require(found.hangs.isEmpty, "\(name): \(found.hangs.prefix(2))")
    require(found.clearsWritten <= 1, "\(name): cleared \(found.clearsWritten) times")
}

/// Parses a number as it is typed, so that a finding can be repeated; otherwise it uses the first
/// eight bytes.
private func faultSeed(_ input: [UInt8]) -> UInt64 {
    UInt64(String(decoding: input, as: UTF8.self))
        ?? input.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
}

private let tables: (PIDTable, MonitorTables) = {
    guard let table = try? PIDTables.standard(), let monitors = try? PIDTables.monitorTables()
    else { fatalError("the tables that are built in cannot be read") }
    return (table, monitors)
}()
