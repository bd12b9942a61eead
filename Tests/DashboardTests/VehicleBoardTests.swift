import Accessory
import Diagnostics
import OBDCore
import PIDTables
import SystemIO
import TestSupport
import Testing
import VehicleScan

@testable import Dashboard

/// The values that browsers show.
@Suite struct `The live board` {
    private func reading(_ value: Double, _ signal: Int32 = 0, ecu: UInt32 = 0x7E8) -> Reading {
        TestSupport.reading(.number(value), signal: Int(signal), ecu: ECUAddress(ecu, .can11))
    }

    private let time = UTC(microseconds: 1_000_000)

    private func take(_ board: VehicleBoard, _ readings: [Reading], second: Int64 = 0) {
        board.take(
            readings, at: time, Instant(nanoseconds: second * 1_000_000_000), isNamed: false)
    }

    @Test func `a warning about storing stays until a trip begins or ends`() {
        let board = VehicleBoard(version: "0.2")
        // A trip that is wanted could not begin.
        board.record(.init())
        board.update { $0.storing = "the disk is full" }
        board.record(.init())
        #expect(board.status.storing == "the disk is full")
        board.record(.init(trip: 1))
        #expect(board.status.storing == nil)
        // To begin a trip that runs changes nothing.
        board.update { $0.storing = "the disk is full" }
        board.record(.init(trip: 1, readings: 20))
        #expect(
            board.status.storing == "the disk is full" && board.status.recording?.readings == 20)
        // The next trip, or none.
        board.record(.init(trip: 2))
        #expect(board.status.storing == nil)
        board.update { $0.storing = "the disk is full" }
        board.record(nil)
        #expect(board.status.storing == nil && board.status.recording == nil)
    }

    @Test func `the newest reading of each signal of each ECU is kept`() {
        let board = VehicleBoard(version: "0.2")
        take(board, [reading(1), reading(2, ecu: 0x7E9)])
        take(board, [reading(3)])
        let (channels, version) = board.channels()
        #expect(channels.map(\.reading.value) == [.number(3), .number(2)])
        #expect(board.channels(since: version).channels.isEmpty)
        take(board, [reading(4, ecu: 0x7E9)])
        let changed = board.channels(since: version).channels
        #expect(changed.map(\.reading.value) == [.number(4)])
        // The signal was known before, so its description is not sent again.
        #expect(changed.allSatisfy { $0.born <= version })
    }

    /// The page uses the ECU and the signal to find the card of a reading.
    ///
    /// In `7E8/F1`, F1 is the tester's address.
    @Test func `a reading and its signal's description name the same ECU`() throws {
        let board = VehicleBoard(version: "0.2")
        var own = reading(1)
        own.ecu = ECUAddress(0x7E8, .can11, extended: 0xF1)
        take(board, [own])
        let channel = try #require(board.channels().channels.first)
        var objects = LiveObjects(table: try PIDTables.load([]), units: .metric)
        let texts = [
            objects.reading(channel), objects.signal(channel, at: Instant(nanoseconds: 0)),
        ].map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.allSatisfy { $0.contains(#""ecu":"7E8","service""#) }, "\(texts)")
    }

    @Test func `invented readings of an adapter do not fill the memory`() {
        let board = VehicleBoard(version: "0.2")
        for ecu in 0..<UInt32(VehicleBoard.mostChannels + 50) {
            take(board, [reading(0, ecu: ecu)])
        }
        #expect(board.channels().channels.count == VehicleBoard.mostChannels)
        #expect(board.dropped == 50)
        for second in 0..<Int64(500) {
            take(board, [reading(Double(second), ecu: 0)], second: second)
        }
        let history = board.channels().channels.map(\.history.count).max()
        #expect(history == VehicleBoard.historyLength)
    }

    @Test func `the history has one value per second, the last`() {
        let board = VehicleBoard(version: "0.2")
        for value in 0..<10 {
            board.take(
                [reading(Double(value))], at: time,
                Instant(nanoseconds: Int64(value) * 250_000_000), isNamed: false)
        }
        let history = board.channels().channels.first?.history ?? []
        #expect(history.map(\.value) == [3, 7, 9])
    }

    @Test func `news wakes a viewer until the viewer leaves`() throws {
        let board = VehicleBoard(version: "0.2")
        let event = try EventDescriptor()
        let watcher = board.watch(event)
        #expect(board.watchers == 1)
        take(board, [reading(1)])
        var set = PollSet()
        set.add(event.descriptor)
        #expect(try set.wait(until: .zero) == 1)
        event.take()
        board.unwatch(watcher)
        take(board, [reading(2)])
        #expect(try set.wait(until: .zero) == 0)
        #expect(board.watchers == 0)
    }

    @Test func `signals have the order of the plan, unknown signals come last`() {
        let board = VehicleBoard(version: "0.2")
        board.begin(order: [SignalIndex(rawValue: 5), SignalIndex(rawValue: 2)])
        take(board, [reading(1, 2), reading(1, 0), reading(1, 5), reading(1, 5, ecu: 0x7E0)])
        let order = board.channels().channels.map { $0.reading.signal.rawValue }
        #expect(order == [5, 5, 2, 0])
    }
}
