/// The identifier of frames and their bus.
package struct StreamID: Hashable, Sendable, Comparable {
    package var bus: Int
    package var id: UInt32
    package var isExtended: Bool
    /// The bytes of the frames.
    package var width: Int
    /// The value of the switch whose frames these are; nil if the message is not multiplexed.
    package var branch: Int64?

    package init(bus: Int, id: UInt32, isExtended: Bool, width: Int) {
        self.bus = bus
        self.id = id
        self.isExtended = isExtended
        self.width = width
    }

    package static func < (one: StreamID, other: StreamID) -> Bool {
        (one.bus, one.isExtended ? 1 : 0, one.id, one.width, one.branch ?? -1)
            < (other.bus, other.isExtended ? 1 : 0, other.id, other.width, other.branch ?? -1)
    }
}

/// Frames of one identifier; of a long log not all.
struct FrameStream {
    let width: Int
    /// Since the beginning of the log; unit: 0.1 ms.
    private(set) var times: [UInt32] = []
    private(set) var data: [UInt8] = []
    /// The least time between two frames that are kept; unit: 0.1 ms.
    private var spacing: UInt32 = 0

    /// The most frames that are kept.
    static let most = 20_000

    init(width: Int) { self.width = width }

    var count: Int { times.count }

    mutating func append(_ time: UInt32, _ bytes: some Collection<UInt8>) {
        if let last = times.last {
            // A clock that was set back: the frames before it stay.
            guard time >= last, time - last >= spacing else { return }
        }
        if times.count >= Self.most { thin() }
        times.append(time)
        data.append(contentsOf: bytes)
    }

    /// Drops every second frame.
    private mutating func thin() {
        guard let first = times.first, let last = times.last else { return }
        var kept = 0
        for index in stride(from: 0, to: times.count, by: 2) {
            times[kept] = times[index]
            for byte in 0..<width { data[kept * width + byte] = data[index * width + byte] }
            kept += 1
        }
        times.removeLast(times.count - kept)
        data.removeLast(data.count - kept * width)
        // Nine tenths, so that a message with some jitter does not lose every second frame again.
        spacing = max(spacing, UInt32(Double(last - first) / Double(kept) * 0.9))
    }

    @inline(__always)
    func byte(_ frame: Int, _ index: Int) -> UInt8 { data[frame * width + index] }

    func bit(_ frame: Int, _ bit: Int) -> Bool {
        data[frame * width + bit / 8] >> UInt8(bit % 8) & 1 == 1
    }

    /// The value of a field in a frame.
    func raw(_ frame: Int, _ place: FieldPlace) -> Int64 {
        place.raw { data[frame * width + $0] }
    }

    /// The time between frames that most do not exceed; unit: 0.1 ms.
    var usualGap: UInt32 {
        guard times.count > 2 else { return 0 }
        var gaps: [UInt32] = []
        let step = max(1, times.count / 500)
        for index in stride(from: 1, to: times.count, by: step) {
            gaps.append(times[index] - times[index - 1])
        }
        gaps.sort()
        return gaps[gaps.count * 19 / 20]
    }
}

/// The frames of a bus, in which a signal is searched.
package struct BusRecording {
    /// Frames of an identifier before it is known whether the message is multiplexed.
    fileprivate struct Message {
        var whole: FrameStream
        /// The switch, once the message is found to be multiplexed.
        var mux: FieldPlace?
        var branches: [Int64: FrameStream] = [:]
        var isDecided = false
        var counters: BitMask
    }

    /// Frames after which it is decided whether a message is multiplexed.
    fileprivate static let enough = 3_000
    /// More identifiers than any bus has.
    private static let mostMessages = 4_096
    /// More values than a switch has.
    fileprivate static let mostBranches = 64

    private var messages: [StreamID: Message] = [:]
    private var origin: Int64?
    /// The number of frames that were added.
    package private(set) var frames = 0
    /// The time of the last frame; unit: microseconds.
    package private(set) var end: Int64 = 0

    package init() {}

    /// The time of the first frame; unit: microseconds.
    package var start: Int64 { origin ?? 0 }

    /// The number of identifiers.
    package var identifiers: Int { Set(messages.keys.map { [UInt32($0.bus), $0.id] }).count }

    /// Adds a frame; `time` is in microseconds.
    package mutating func add(_ stream: StreamID, _ time: Int64, _ bytes: some Collection<UInt8>) {
        guard stream.width > 0, bytes.count == stream.width else { return }
        let origin = self.origin ?? time
        self.origin = origin
        frames += 1
        // Four days, so that a time fits into 32 bits.
        guard time >= origin, time - origin < 400_000_000_000 else { return }
        end = max(end, time)
        let passed = UInt32((time - origin) / 100)
        guard messages[stream] != nil || messages.count < Self.mostMessages else { return }
        messages[
            stream,
            default: Message(
                whole: FrameStream(width: stream.width), counters: BitMask(bytes: stream.width))
        ].add(passed, bytes)
    }

    /// Ends the recording; returns the frames of each identifier, and of each branch of a multiplexed message.
    mutating func streams() -> [MessageStream] {
        var found: [MessageStream] = []
        for id in messages.keys.sorted() {
            messages[id]?.decide()
            guard let message = messages[id] else { continue }
            guard let mux = message.mux else {
                found.append(
                    MessageStream(id: id, frames: message.whole, counters: message.counters))
                continue
            }
            for (value, frames) in message.branches.sorted(by: { $0.key < $1.key }) {
                var branch = id
                branch.branch = value
                found.append(
                    MessageStream(
                        id: branch, frames: frames, counters: message.counters, mux: mux))
            }
        }
        return found
    }
}

/// The frames of a message or of one branch of it, with what is known of their bits.
struct MessageStream {
    var id: StreamID
    var frames: FrameStream
    /// The bits of counters and checksums.
    var counters: BitMask
    /// The switch of the message.
    var mux: FieldPlace?
}

extension BusRecording.Message {
    mutating func add(_ time: UInt32, _ bytes: some Collection<UInt8>) {
        guard let mux else {
            whole.append(time, bytes)
            if !isDecided, whole.count >= BusRecording.enough { decide() }
            return
        }
        let data = Array(bytes)
        let value = mux.raw(data)
        guard branches[value] != nil || branches.count < BusRecording.mostBranches else { return }
        branches[value, default: FrameStream(width: whole.width)].append(time, data)
    }

    /// Looks for a switch, counters and checksums.
    mutating func decide() {
        guard !isDecided else { return }
        isDecided = true
        let structure = MessageStructure(whole)
        counters = structure.counters
        guard let found = structure.mux else { return }
        mux = found
        for frame in 0..<whole.count {
            let value = whole.raw(frame, found)
            let bytes = whole.data[frame * whole.width..<(frame + 1) * whole.width]
            branches[value, default: FrameStream(width: whole.width)]
                .append(whole.times[frame], bytes)
        }
        whole = FrameStream(width: whole.width)
    }
}
