import Adapters
import OBDCore
import Simulator

/// Commands from a scan tool: the adapter must answer in limited time and space, and return to its
/// prompt.
func readCommands(_ input: [UInt8]) {
    var cutter = Cutter(input)
    let scenarios = ["petrol", "diesel", "hybrid"]
    let personalities = ["elm327", "stn", "clone-1.5", "clone-2.1"]
    let head = cutter.byte()
    var options = SimulatorOptions()
    options.scenario = scenarios[Int(head & 3) % scenarios.count]
    options.vehicleProtocol = VehicleProtocol(rawValue: head >> 4)
    options.personality = personalities[Int(head >> 2 & 3)]
    let typed = cutter.rest()
    guard var adapter = try? SimulatedAdapter(options, at: .zero) else {
        options.personality = "elm327"
        options.vehicleProtocol = nil
        guard let plain = try? SimulatedAdapter(options, at: .zero) else {
            fatalError("property broken: the plain adapter cannot be made")
        }
        return serve(plain, typed)
    }
    adapter.receive([0x0D], at: .zero)
    serve(adapter, typed)
    serve(ReplayAdapter(conversation: typed), typed)
}

private func serve(_ device: some ServedDevice, _ typed: [UInt8]) {
    var device = device
    var now = Instant.zero
    var said = 0
    var steps = 0
    for piece in typed.split(maxSplits: 64, whereSeparator: { $0 == 0x0D }) {
        device.receive(piece + [0x0D], at: now)
        // Let it send for ten seconds: a search, or a monitor that is never stopped.
        let end = now + .seconds(10)
        while let next = device.nextDeadline, next <= end, steps < 2_000 {
            now = max(now, next)
            said += device.due(at: now).count
            steps += 1
        }
        now = end
        said += device.due(at: now).count
    }
    require(said <= 64 * 1024 * 1024, "\(said) bytes said")
    // A character must stop any activity, and the next command must be answered.
    device.receive([0x0D], at: now)
    now = now + .seconds(60)
    _ = device.due(at: now)
}
