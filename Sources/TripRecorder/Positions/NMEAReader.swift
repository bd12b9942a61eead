public import OBDCore

/// Converts a receiver's sentences to fixes.
///
/// RMC contains date, speed and course, GGA the altitude; their order differs between receivers.
/// Sentences with the same time of day belong to one fix. A fix is complete with both sentences, or when
/// another time begins.
public struct NMEAReader: Sendable {
    /// Number of valid sentences.
    public private(set) var sentences = 0
    /// Number of dropped lines: a wrong checksum, or not a sentence.
    public private(set) var damaged = 0

    private struct Epoch: Sendable {
        var timeOfDay: Int64
        var arrived: Instant
        var latitude: Double?
        var longitude: Double?
        var altitude: Double?
        var speed: Double?
        var course: Double?
        var date: UTC?
        var hasRMC = false
        var hasGGA = false
        var isValid = true
    }

    private var line: [UInt8] = []
    /// The line is too long for a sentence, and its rest is skipped.
    private var isOverlong = false
    private var hasBegun = false
    private var epoch: Epoch?
    /// The time of day of the last fix.
    private var lastTimeOfDay: Int64?

    /// A reader without data.
    public init() {}

    /// Takes received bytes and appends the completed fixes.
    public mutating func take(
        _ bytes: some Sequence<UInt8>, at instant: Instant, _ fixes: inout [Fix]
    ) {
        for byte in bytes {
            switch byte {
            case 0x0A, 0x0D: endLine(at: instant, &fixes)
            // A dollar sign within a sentence begins a new one, because characters were lost.
            case 0x24:
                endLine(at: instant, &fixes)
                line.append(byte)
            default:
                if line.count > NMEASentence.longest {
                    isOverlong = true
                } else {
                    line.append(byte)
                }
            }
        }
    }

    /// Appends the last fix at the end of input.
    public mutating func finish(_ fixes: inout [Fix]) {
        if let fix = fix() { fixes.append(fix) }
        epoch = nil
    }

    private mutating func endLine(at instant: Instant, _ fixes: inout [Fix]) {
        if line.isEmpty { return }
        defer {
            line.removeAll(keepingCapacity: true)
            isOverlong = false
            hasBegun = true
        }
        do throws(NMEASentence.Fault) {
            if isOverlong { throw .form }
            let sentence = try NMEASentence(line)
            sentences += 1
            if sentence.isReceiver { take(sentence, at: instant, &fixes) }
        } catch {
            // Reading may begin in the middle of a line, and the rest of that line is not damage.
            if hasBegun || line.first == 0x24 { damaged += 1 }
        }
    }

    private mutating func take(
        _ sentence: NMEASentence, at instant: Instant, _ fixes: inout [Fix]
    ) {
        switch sentence.kind {
        case "RMC":
            guard begin(sentence, at: instant, &fixes) else { return }
            takeRMC(sentence)
        case "GGA":
            guard begin(sentence, at: instant, &fixes) else { return }
            takeGGA(sentence)
        case "VTG":
            // VTG has no time; it belongs to the current time of day.
            if sentence.field(8) == "N" { return }
            let speed = sentence.number(6) ?? sentence.number(4).map { $0 * 1.852 }
            let known = epoch
            epoch?.speed = known?.speed ?? speed.flatMap { $0 >= 0 ? $0 : nil }
            epoch?.course = known?.course ?? Fix.course(sentence.number(0))
        default: return
        }
        if let epoch, epoch.hasRMC, epoch.hasGGA {
            if let fix = fix() { fixes.append(fix) }
            lastTimeOfDay = epoch.timeOfDay
            self.epoch = nil
        }
    }

    /// Makes the sentence's time of day the current one; false without one.
    private mutating func begin(
        _ sentence: NMEASentence, at instant: Instant, _ fixes: inout [Fix]
    ) -> Bool {
        guard let timeOfDay = sentence.timeOfDay(0), timeOfDay != lastTimeOfDay else {
            return false
        }
        if let epoch, epoch.timeOfDay != timeOfDay {
            if let fix = fix() { fixes.append(fix) }
            self.epoch = nil
        }
        if epoch == nil { epoch = Epoch(timeOfDay: timeOfDay, arrived: instant) }
        lastTimeOfDay = nil
        return true
    }

    private mutating func takeRMC(_ sentence: NMEASentence) {
        epoch?.hasRMC = true
        // A = valid. The mode of version 2.3: E is dead reckoning, M manual, N not valid.
        let mode = sentence.field(11)
        if sentence.field(1) != "A" || ["E", "M", "N"].contains(mode) { epoch?.isValid = false }
        place(sentence, 2)
        if let knots = sentence.number(6), knots >= 0 { epoch?.speed = knots * 1.852 }
        if let course = Fix.course(sentence.number(7)) { epoch?.course = course }
        epoch?.date = sentence.date(8)
    }

    private mutating func takeGGA(_ sentence: NMEASentence) {
        epoch?.hasGGA = true
        // 0 means without a fix, 6 dead reckoning, 7 manual; others are measured (8: simulator).
        let quality = sentence.field(5)
        if quality == nil || ["0", "6", "7"].contains(quality) { epoch?.isValid = false }
        place(sentence, 1)
        if sentence.field(9) == "M" { epoch?.altitude = sentence.number(8) }
    }

    private mutating func place(_ sentence: NMEASentence, _ index: Int) {
        guard
            let latitude = sentence.coordinate(index, positive: "N", negative: "S"),
            let longitude = sentence.coordinate(index + 2, positive: "E", negative: "W")
        else {
            epoch?.isValid = false
            return
        }
        epoch?.latitude = latitude
        epoch?.longitude = longitude
    }

    /// The fix of the current time of day; nil if there is none.
    private func fix() -> Fix? {
        guard let epoch, epoch.isValid, let latitude = epoch.latitude,
            let longitude = epoch.longitude,
            var position = Position(latitude: latitude, longitude: longitude)
        else { return nil }
        position.altitude = epoch.altitude
        position.speed = epoch.speed
        position.course = epoch.course
        position.fixTime = epoch.date.map { UTC(microseconds: $0.microseconds + epoch.timeOfDay) }
        return Fix(position, arrived: epoch.arrived)
    }
}
