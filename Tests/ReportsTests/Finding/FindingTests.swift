import Testing

@testable import Reports

/// A drive whose course and frames the tests make up; the same for the same seed.
struct MadeDrive {
    private var seed: UInt64
    /// One value per 10 ms.
    private(set) var speed: [Double] = []
    private(set) var other: [Double] = []

    init(seconds: Int, seed: UInt64 = 1) {
        self.seed = seed
        var (goal, now, change) = (0.0, 0.0, 0.0)
        var (wander, drift) = (0.0, 0.0)
        for step in 0..<seconds * 100 {
            if step % 700 == 0 { goal = random() * 120 }
            let want = max(-12, min(9, (goal - now) * 0.4))
            change += (want - change) * 0.02
            now = max(0, now + change * 0.01)
            speed.append(now)
            drift += (random() - 0.5) * 0.4 - wander * 0.002
            wander += drift * 0.01
            drift *= 0.99
            other.append(wander)
        }
    }

    mutating func random() -> Double {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(seed >> 33) / Double(1 << 31)
    }

    /// Puts a value into a frame.
    static func put(_ value: Int, _ place: FieldPlace, _ frame: inout [UInt8]) {
        for index in 0..<place.length where value >> index & 1 == 1 {
            let bit = place.bit(index)
            frame[bit / 8] |= 1 << UInt8(bit % 8)
        }
    }

    /// A bus with the speed at `place` of 1A0 beside a counter, and other messages.
    mutating func recording(
        _ place: FieldPlace, scale: Double, offset: Double = 0, without: Bool = false,
        isCrowded: Bool = false
    ) -> BusRecording {
        var bus = BusRecording()
        let wide = FieldPlace(isLittle: true, low: 8, length: 16, isSigned: true, width: 8)
        for step in speed.indices where step % 2 == 0 {
            let time = 1_700_000_000_000_000 + Int64(step) * 10_000
            if !without {
                var frame = [UInt8](repeating: 0, count: place.width)
                if isCrowded {
                    // Bits of something else are next to the lowest bit.
                    for index in 1...8 where place.low >= index && random() < 0.5 {
                        let bit = FieldPlace.bit(place.low - index, place.isLittle, place.width)
                        frame[bit / 8] |= 1 << UInt8(bit % 8)
                    }
                }
                Self.put(Int(((speed[step] - offset) / scale).rounded()), place, &frame)
                frame[place.width - 1] |= UInt8(step / 2 % 16)
                bus.add(stream(0x1A0, place.width), time, frame)
            }
            var second = [UInt8](repeating: 0, count: 8)
            Self.put(Int((other[step] * 100).rounded()), wide, &second)
            second[0] = UInt8(step / 2 % 256)
            second[7] = UInt8(random() * 255)
            bus.add(stream(0x2B0, 8), time + 3_000, second)
        }
        return bus
    }

    func stream(_ id: UInt32, _ width: Int) -> StreamID {
        StreamID(bus: 0, id: id, isExtended: false, width: width)
    }

    /// The speed as OBD shows it: once per second, rounded, and late.
    func course(
        every gap: Int = 100, late: Int = 20, rounding: Double = 1, factor: Double = 1
    ) -> KnownCourse {
        KnownCourse(
            stride(from: 200, to: speed.count - 200, by: gap).map { step in
                KnownCourse.Sample(
                    time: 1_700_000_000_000_000 + Int64(step) * 10_000,
                    value: (speed[step - late] * factor / rounding).rounded() * rounding)
            })
    }
}

@Suite struct `Fields of frames` {
    @Test(
        arguments: [
            // Hand examples of the three kinds in DBC files: 3|10@0+, 4|12@1+, 11|12@0-.
            (
                FieldPlace(isLittle: false, low: 2, length: 10, isSigned: false, width: 2),
                [0xFA, 0xCF], 0x2B3
            ),
            (
                FieldPlace(isLittle: true, low: 4, length: 12, isSigned: false, width: 2),
                [0xA5, 0xBC], 0xBCA
            ),
            (
                FieldPlace(isLittle: false, low: 0, length: 12, isSigned: true, width: 3),
                [0x00, 0x08, 0x00], -2048
            ),
            (
                FieldPlace(isLittle: true, low: 0, length: 32, isSigned: false, width: 8),
                [0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0], 0x1234_5678
            ),
            (FieldPlace(isLittle: true, low: 3, length: 1, isSigned: false, width: 1), [0x08], 1),
        ] as [(FieldPlace, [UInt8], Int64)])
    func `A field has the value of its bits in both orders`(
        _ place: FieldPlace, _ data: [UInt8], _ value: Int64
    ) {
        #expect(place.raw(data) == value)
    }

    @Test func `A counter and a checksum are recognised without known values`() {
        var frames = FrameStream(width: 4)
        var drive = MadeDrive(seconds: 20)
        for step in 0..<1_000 {
            let count = UInt8(step % 16)
            let value = UInt8(step / 40 % 7)
            var sum: UInt8 = 0x1D
            for byte in [count, value] { sum = sum &* 31 ^ byte &* 77 }
            frames.append(UInt32(step * 100), [value, count << 4, sum, UInt8(drive.random() * 9)])
        }
        let structure = MessageStructure(frames)
        #expect(
            structure.counters.bytes == [0, 0xF0, 0, 0]
                || structure.counters.bytes == [0, 0xF0, 0xFF, 0])
        #expect(structure.mux == nil)
    }

    @Test func `A switch is found by frames that are equal whenever its value is equal`() {
        var frames = FrameStream(width: 4)
        for step in 0..<1_000 {
            let rows: [[UInt8]] = [
                [0, 0x5A, 0xC3, 0x81], [1, 0xA5, 0x3C, 0x18], [2, 0x0F, 0x99, 0xE7],
            ]
            var row = rows[step % 3]
            row[1] = row[1] &+ UInt8(step / 300)
            frames.append(UInt32(step * 100), row)
        }
        let mux = MessageStructure(frames).mux
        #expect(mux?.low == 0)
        #expect((mux?.length ?? 0) >= 2)
    }
}

@Suite struct `Straight lines through raw values` {
    @Test func `The formula stays right if a tenth of the values is wrong`() throws {
        let raw = (0..<100).map { Double($0 * 37 % 100) }
        var values = raw.map { $0 * 0.25 - 40 }
        for place in stride(from: 3, to: 100, by: 10) { values[place] = 500 }
        let fit = try #require(LineFit(raw, values))
        #expect(abs(fit.scale - 0.25) < 1e-6)
        #expect(abs(fit.offset + 40) < 1e-4)
    }

    @Test func `Raw values that do not differ have no formula`() {
        #expect(LineFit([5, 5, 5, 5], [1, 2, 3, 4]) == nil)
    }

    @Test(
        arguments: [
            (0.01, 0, 1), (0.25, 0, 1), (1 / 256.0, 0, 0.1), (0.05625, 0, 0.5), (0.0625, 0, 1),
            (1, -40, 1), (0.5, -40, 1), (0.1, 0, 0.1), (0.1, -800, 1), (-0.1, 0, 1),
        ] as [(Double, Double, Double)])
    func `Rounded values give the formula back`(
        _ scale: Double, _ offset: Double, _ step: Double
    ) throws {
        // 150 units of the value, whatever the factor is.
        let raw = (0..<300).map { (Double($0 * 97 % 300) / 2 / abs(scale)).rounded() }
        let values = raw.map { (($0 * scale + offset) / step).rounded() * step }
        let fit = try #require(LineFit(raw, values))
        let formula = Formula(fit, raw, values, step: step, share: 1)
        #expect(formula.scale == scale)
        #expect(formula.offset == offset)
    }

    @Test func `An unusual factor keeps its digits`() throws {
        let raw = (0..<300).map { Double($0 * 97 % 300) * 10 }
        let values = raw.map { $0 * 0.0271828 }
        let fit = try #require(LineFit(raw, values))
        let formula = Formula(fit, raw, values, step: 0, share: 1)
        #expect(abs(formula.scale - 0.0271828) < 1e-7)
        #expect(formula.scaleText == nil)
    }
}

@Suite struct `Searches for a signal` {
    static let places = [
        FieldPlace(isLittle: false, low: 40, length: 16, isSigned: false, width: 8),
        FieldPlace(isLittle: true, low: 8, length: 16, isSigned: false, width: 8),
        FieldPlace(isLittle: true, low: 20, length: 13, isSigned: false, width: 8),
        FieldPlace(isLittle: false, low: 12, length: 14, isSigned: false, width: 6),
    ]

    private func found(_ outcome: SignalSearch.Outcome) -> [SignalSearch.Candidate] {
        if case .found(let candidates, _) = outcome { candidates } else { [] }
    }

    @Test(arguments: places) func `The bits and the formula of a known course are found`(
        _ place: FieldPlace
    ) throws {
        var drive = MadeDrive(seconds: 80)
        let scale = place.length > 14 ? 0.01 : 0.0625
        var bus = drive.recording(place, scale: scale)
        let best = try #require(found(SignalSearch(&bus, drive.course()).run()).first)
        #expect(best.stream.id == 0x1A0)
        #expect(best.place.low == place.low)
        #expect(best.place.isLittle == place.isLittle)
        #expect(best.formula.scale == scale)
        #expect(best.formula.offset == 0)
        #expect(abs(best.lag - 0.2) < 0.1)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `Rounded and rare values leave the ends of a field to the frames`(_ seed: UInt64) throws {
        var drive = MadeDrive(seconds: 120, seed: seed)
        for (index, place) in Self.places.enumerated() {
            let isFine = place.length > 14
            let scale = isFine ? 0.01 : 0.0625
            var bus = drive.recording(place, scale: scale, isCrowded: true)
            // Typed from the dashboard, rounded to 5, and once per second.
            let courses = [
                drive.course(every: 200, late: 50), drive.course(every: 50, late: 10, rounding: 5),
                drive.course(every: 100, late: 25),
            ]
            let course = courses[(index + Int(seed)) % courses.count]
            let best = try #require(found(SignalSearch(&bus, course).run()).first)
            #expect(best.stream.id == 0x1A0)
            #expect(best.place.low == place.low)
            #expect(best.place.isLittle == place.isLittle)
            #expect(abs(best.formula.scale / scale - 1) < 0.04)
        }
    }

    @Test func `A bit below a field is its next one only if both move against each other`() {
        var drive = MadeDrive(seconds: 60, seed: 3)
        let number = FieldPlace(isLittle: true, low: 12, length: 12, isSigned: false, width: 4)
        var frames = FrameStream(width: 4)
        for step in stride(from: 0, to: drive.speed.count, by: 2) {
            var frame = [UInt8](repeating: 0, count: 4)
            // The number trembles by two units; below it is another one.
            let noise = (drive.random() - drive.random()) * 2
            MadeDrive.put(max(0, Int(drive.speed[step] * 20 + noise)), number, &frame)
            frame[0] = UInt8(drive.random() * 255)
            frame[1] |= UInt8(drive.random() * 15)
            frames.append(UInt32(step * 100), frame)
        }
        let ends = FieldEnds(frames, taken: BitMask(bytes: 4))
        for missing in 1...7 {
            var core = number
            core.low += missing
            core.length -= missing
            let place = ends.extended(core, lowest: core.low)
            #expect(place.low == number.low)
            #expect(place.isLittle)
        }
    }

    @Test func `A course of whole miles per hour gives the formula in kilometres`() throws {
        var drive = MadeDrive(seconds: 80, seed: 7)
        var bus = drive.recording(Self.places[0], scale: 0.01)
        let miles = drive.course(late: 60, factor: 1 / 1.609344)
        let course = KnownCourse(
            miles.samples.map { .init(time: $0.time, value: $0.value * 1.609344) })
        let best = try #require(found(SignalSearch(&bus, course).run()).first)
        #expect(best.formula.scale == 0.01)
        #expect(abs(best.lag - 0.6) < 0.1)
    }

    @Test func `A shuffled course and a course of another drive find nothing`() {
        var drive = MadeDrive(seconds: 80)
        var bus = drive.recording(Self.places[0], scale: 0.01)
        let course = drive.course()
        var values = course.samples.map(\.value)
        for place in values.indices.reversed() {
            values.swapAt(place, Int(drive.random() * Double(place)))
        }
        let shuffled = KnownCourse(
            zip(course.samples, values).map { .init(time: $0.time, value: $1) })
        #expect(found(SignalSearch(&bus, shuffled).run()).isEmpty)
        let foreign = MadeDrive(seconds: 80, seed: 99).course()
        #expect(found(SignalSearch(&bus, foreign).run()).isEmpty)
    }

    @Test func `Nothing is found if the signal is not on the bus or its bits are known`() {
        var drive = MadeDrive(seconds: 80)
        var without = drive.recording(Self.places[0], scale: 0.01, without: true)
        #expect(found(SignalSearch(&without, drive.course()).run()).isEmpty)
        var bus = drive.recording(Self.places[0], scale: 0.01)
        let search = SignalSearch(&bus, drive.course()) {
            $0.id == 0x1A0 ? Self.places[0].bits : nil
        }
        #expect(found(search.run()).isEmpty)
    }

    @Test func `A course that hardly changes or is outside of the log is refused`() {
        var drive = MadeDrive(seconds: 60)
        var bus = drive.recording(Self.places[0], scale: 0.01)
        let still = KnownCourse(
            (0..<50).map {
                .init(time: 1_700_000_000_000_000 + $0 * 1_000_000, value: Double($0 % 2))
            })
        guard case .tooLittleMovement = SignalSearch(&bus, still).run() else {
            Issue.record("two values are no movement")
            return
        }
        let late = KnownCourse(
            drive.course().samples.map { .init(time: $0.time + 3_600_000_000, value: $0.value) })
        guard case .notInLog(0) = SignalSearch(&bus, late).run() else {
            Issue.record("an hour later there is no log")
            return
        }
    }

    @Test func `A second drive confirms a right row and refutes a wrong one`() throws {
        var drive = MadeDrive(seconds: 80)
        var bus = drive.recording(Self.places[0], scale: 0.01)
        var best = try #require(found(SignalSearch(&bus, drive.course()).run()).first)
        var second = MadeDrive(seconds: 60, seed: 5)
        var other = second.recording(Self.places[0], scale: 0.01)
        let search = SignalSearch(&other, second.course(late: -40))
        let check = try #require(search.check(best))
        #expect(check.holds)
        #expect(abs(check.lag + 0.4) < 0.1)
        best.formula.scale = 0.012
        #expect(search.check(best)?.holds == false)
    }

    @Test func `A long log keeps a bounded number of frames over its whole length`() {
        var frames = FrameStream(width: 2)
        for step in 0..<200_000 { frames.append(UInt32(step * 100), [UInt8(step % 256), 0]) }
        #expect(frames.count <= FrameStream.most)
        #expect(frames.count > FrameStream.most / 4)
        #expect((frames.times.last ?? 0) > 19_900_000)
    }
}
