/// The engine along a drive: the states that were computed, from which any other time follows.
///
/// The drive is a function of time. Only the computation goes step by step: it continues from the last
/// state, or from the last of the states that are kept every ten seconds.
struct EngineTrack: Sendable {
    /// The longest drive; unit: seconds.
    ///
    /// Later times show the state at its end.
    static let longest = 6 * 3600.0
    /// Steps of the model between two kept states.
    private static let interval = 1000

    private let model: EngineModel
    private var kept: [EngineRun]
    private var last: EngineRun

    /// The vehicle at the beginning of its drive.
    init(_ model: EngineModel) {
        self.model = model
        last = EngineRun(model)
        kept = [last]
    }

    /// Computes the drive until `time`, so that later times need less work.
    mutating func advance(to time: Double) {
        let end = Self.step(time)
        while last.steps < end {
            last.advance(model)
            if last.steps == kept.count * Self.interval { kept.append(last) }
        }
    }

    /// The state at `time`; unit: seconds since the drive began.
    func state(at time: Double) -> VehicleState {
        let end = Self.step(time)
        var run = last
        if end < run.steps { run = kept[min(kept.count - 1, end / Self.interval)] }
        while run.steps < end { run.advance(model) }
        return run.state(model)
    }

    private static func step(_ time: Double) -> Int {
        Int(max(0, min(longest, time)) / EngineModel.step)
    }
}
