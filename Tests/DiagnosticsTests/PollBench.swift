import Diagnostics
import OBDCore

/// Runs a plan with a scripted vehicle and a manual clock.
struct Bench {
    var plan: PollPlan
    var now = Instant.zero
    var link = LinkCapabilities(
        itemsPerRequest: 6, frameCountHelps: true, vehicleProtocol: .can11At500)
    var roundTrip = Duration.milliseconds(25)
    var asked: [VehicleRequest] = []

    init(_ wants: [PollPlan.Want], rounds: Int? = nil) {
        plan = PollPlan(wants: wants, rounds: rounds)
    }

    /// Runs for at least this time; `answer` plays adapter and vehicle.
    mutating func run(for time: Duration, answer: (VehicleRequest) -> PollPlan.Outcome) {
        let end = now + time
        while now < end {
            run(1, answer: answer)
        }
    }

    /// The requests for exactly these records.
    func asked(_ ids: [UInt8]) -> [VehicleRequest] {
        asked.filter { $0.payload.dropFirst().elementsEqual(ids) }
    }

    /// Runs `count` requests; `answer` plays adapter and vehicle.
    mutating func run(_ count: Int, answer: (VehicleRequest) -> PollPlan.Outcome) {
        var left = count
        while left > 0 {
            switch plan.next(at: now, link: link) {
            case .ask(let request):
                asked.append(request)
                now = now + roundTrip
                plan.answered(request.id, answer(request), at: now)
                left -= 1
            case .wait(let until): now = until
            case .readVoltage(let id): plan.answered(id, .answered([], intact: true), at: now)
            case .done: return
            }
        }
    }
}

func want(_ pid: UInt32, _ length: Int? = 1, every period: Duration? = nil) -> PollPlan.Want {
    PollPlan.Want(DataID(.currentData, pid), length: length, period: period)
}

/// The answer of an ECU that supports `lengths` and leaves out all other records.
func ecu(
    _ request: VehicleRequest, _ lengths: [UInt8: Int], address: UInt32 = 0x7E8
) -> ECUMessage? {
    var payload: [UInt8] = [0x41]
    for pid in request.payload.dropFirst() {
        guard let length = lengths[pid] else { continue }
        payload += [pid] + [UInt8](repeating: pid, count: length)
    }
    guard payload.count > 1 else { return nil }
    let frames = payload.count <= 7 ? 1 : 1 + (payload.count - 6 + 6) / 7
    return ECUMessage(ecu: ECUAddress(address, .can11), payload: payload, frames: frames)
}
