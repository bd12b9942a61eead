import OBDCore
import SystemIO
import TripImport

/// The frames of a log of a bus, in which a signal is searched.
package struct BusLog {
    package private(set) var recording = BusRecording()
    /// Lines that are neither frames nor known other lines.
    package private(set) var unreadable = 0
    private var reader: FrameLogReader
    private let channel: [UInt8]?
    private var channels: [ArraySlice<UInt8>] = []
    private var rest: [UInt8] = []
    private var isFirst = true

    /// More buses than any log has; the others share the last one.
    private static let mostBuses = 16

    /// A log in a format, of which only the frames of `channel` are taken, if it is set.
    package init(_ form: FrameLogForm, channel: String?) {
        reader = FrameLogReader(form, needsTimes: true, skipsOthers: false)
        self.channel = channel.map { Array($0.utf8) }
    }

    /// Whether times count from the beginning of the log.
    var isRelative: Bool { reader.isCounting }

    /// When the log began, as a clock on the wall showed it; nil if the log does not say so.
    var began: UTC? { reader.began }

    /// The names of the buses with frames.
    package var buses: [String] { channels.map { String(decoding: $0, as: UTF8.self) } }

    // MARK: Reading

    package mutating func read(_ piece: ArraySlice<UInt8>) {
        var start = piece.startIndex
        while let end = piece[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
            if rest.isEmpty {
                read(line: piece[start..<end])
            } else {
                rest += piece[start..<end]
                let line = rest
                rest = []
                read(line: line[...])
            }
            start = end + 1
        }
        rest += piece[start...]
    }

    package mutating func finish() {
        let line = rest
        rest = []
        if !line.isEmpty { read(line: line[...]) }
    }

    private mutating func read(line: ArraySlice<UInt8>) {
        var line = line
        if isFirst, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirst = false
        switch reader.read(line) {
        case .other, .remote: break
        case .unreadable: unreadable += 1
        case .frame(let frame):
            if let channel, !frame.channel.elementsEqual(channel) { return }
            recording.add(
                StreamID(
                    bus: bus(frame.channel), id: frame.id, isExtended: frame.isExtended,
                    width: frame.data.count), frame.time, frame.data)
        }
    }

    private mutating func bus(_ name: ArraySlice<UInt8>) -> Int {
        if let place = channels.firstIndex(of: name) { return place }
        guard channels.count < Self.mostBuses else { return channels.count - 1 }
        channels.append(ArraySlice(Array(name)))
        return channels.count - 1
    }

    // MARK: Times

    /// A moment in the clock of the log.
    func time(of utc: UTC) throws(KnownValues.Fault) -> Int64 {
        guard isRelative else { return utc.microseconds }
        guard let began else { throw .logWithoutDate }
        return utc.microseconds + localShift(utc) * 1_000_000 - began.microseconds
    }

    /// A time of day, on the day on which the log began.
    func time(ofDay passed: Int64) throws(KnownValues.Fault) -> Int64 {
        let day: Int64 = 86_400_000_000
        let start: UTC
        if isRelative {
            if reader.countsDays { return passed }
            guard let began else { throw .logWithoutDate }
            start = began
        } else {
            let first = UTC(microseconds: recording.start)
            start = first.later(by: localShift(first) * 1_000_000)
        }
        let midnight = start.microseconds - (start.microseconds % day + day) % day
        // Midnight may pass while the log is written.
        let passed = midnight + passed < start.microseconds - day / 2 ? passed + day : passed
        if isRelative { return midnight + passed - start.microseconds }
        return utc(onTheWall: UTC(microseconds: midnight + passed)).microseconds
    }
}
