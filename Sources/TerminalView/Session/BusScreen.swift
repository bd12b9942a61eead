import CSystem
import Formats
import Glibc
import OBDCore
import Reports
import ScanSession
import ScanTool
import SystemIO
import VehicleScan

/// The frames of a bus in a full-screen view, which shows the bytes that change.
package struct BusScreen: ~Copyable {
    private let connection: Vehicle
    private let signals: SignalInbox
    private let until: Instant?
    private let passes: (ECUAddress) -> Bool
    private let view: BusView
    private var model = BusModel()
    /// The held state that the screen shows; nil = the current state of the bus.
    private var held: (model: BusModel, time: Instant)?
    private var terminal = Terminal()
    private var painter = ScreenPainter()
    private var events: [(time: Instant, event: ScanEvent)] = []

    /// The time between two pictures; ages change even without a frame.
    private static let pause = Duration.milliseconds(100)

    /// A view of the frames that pass `passes`, until a time; nil = until the user ends it.
    package init(
        _ connection: Vehicle, signals: SignalInbox, until: Instant?, palette: Palette,
        passes: @escaping (ECUAddress) -> Bool
    ) {
        self.connection = connection
        self.signals = signals
        self.until = until
        self.passes = passes
        view = BusView(palette: palette, accessory: connection.accessory)
    }

    /// The number of frames that were not read in time.
    package var lost: Int { model.lost }

    /// Shows what `listening` hears, until the user or a time ends the view; then the terminal is as before.
    ///
    /// - Returns: The answer of an adapter that stopped by itself; nil in any other case.
    package mutating func run(_ listening: PendingAnswer) throws -> Answer? {
        try terminal.enter()
        defer { terminal.leave() }
        var next = SystemClock.now()
        while true {
            var waiting = WaitList()
            let endings = waiting.add(connection.interrupt)
            let screen = waiting.add(signals.descriptor)
            let news = waiting.add(connection.scan.eventDescriptor)
            let end = waiting.add(listening.descriptor)
            let keys = terminal.keys.map { waiting.add($0) }
            waiting.add(deadline: until)
            waiting.add(deadline: next)
            waiting.wait()
            if waiting.isReady(endings), connection.inbox?.next() != nil { return nil }
            if waiting.isReady(screen) { try takeSignals() }
            if let keys, waiting.isReady(keys), takeKeys() { return nil }
            if waiting.isReady(news) { takeEvents() }
            if waiting.isReady(end) { return try listening.take() }
            let now = SystemClock.now()
            if let until, now >= until { return nil }
            guard now >= next else { continue }
            try draw(at: now)
            next = now + Self.pause
        }
    }

    private mutating func draw(at now: Instant) throws(OutputError) {
        guard try terminal.isReady() else { return }
        let size = terminal.size
        let lines = view.render(
            held?.model ?? model, at: held?.time ?? now, size: size, isHeld: held != nil)
        let text = painter.paint(lines, size: size)
        if !text.isEmpty { try terminal.write(text) }
    }

    private mutating func takeEvents() {
        events.removeAll(keepingCapacity: true)
        connection.scan.nextEvents(&events)
        for (time, event) in events {
            switch event {
            case .didLoseFrames(let count): model.lost += count
            case .didProgress(.heardFrame(let frame)):
                if let id = frame.id, passes(id) { model.take(id, frame.data, at: time) }
            default: continue
            }
        }
    }

    /// Handles keys; true = the user wants to quit.
    private mutating func takeKeys() -> Bool {
        guard let descriptor = terminal.keys else { return false }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = buffer.withUnsafeMutableBytes { sys_read(descriptor, $0.baseAddress, $0.count) }
        // If the terminal has disappeared, the view cannot be drawn either, so quit.
        guard count > 0 else { return count == 0 || errno != EAGAIN }
        let room = BusView.room(terminal.size)
        for key in Key.read(buffer[..<count]) {
            switch key {
            case .close, .character("q"): return true
            case .character(" "): held = held == nil ? (model, SystemClock.now()) : nil
            case .character("#"): model.knowChanges()
            case .character("r"): model.forgetChanges()
            case .up, .wheelUp, .character("k"): scroll(by: -1, room)
            case .down, .wheelDown, .character("j"): scroll(by: 1, room)
            case .pageUp: scroll(by: -room, room)
            case .pageDown: scroll(by: room, room)
            case .home: scroll(by: -model.rows.count, room)
            case .end: scroll(by: model.rows.count, room)
            default: continue
            }
        }
        return false
    }

    private mutating func scroll(by count: Int, _ room: Int) {
        model.scroll(by: count, room: room)
        held?.model.scroll(by: count, room: room)
    }

    private mutating func takeSignals() throws {
        while let number = signals.next() {
            try terminal.take(signal: number)
            // Each frame asks for the size, so that a redraw is enough.
            painter.forget()
        }
    }
}
