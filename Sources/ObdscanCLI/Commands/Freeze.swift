import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import Reports
import ScanSession
import SystemIO
import VehicleScan

/// `obdscan freeze`: freeze frames.
struct FreezeCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "freeze",
        abstract: "Show freeze frames: the values at the moment a code was stored.",
        discussion: """
            Asks each ECU which code stored its frame, and then for every value in the frame. A \
            vehicle that speaks SAE J1979-2 (OBDonUDS) keeps frames with each code; obdscan asks \
            for the first and the latest frame of every stored and pending code. (How to ask for \
            such frames is known from one public program only, not from the standard.) A vehicle \
            that speaks SAE J1939 is asked for DM4; what its maker adds to a frame is shown as raw \
            bytes.

            EXAMPLES
              obdscan freeze
              obdscan freeze --frame 0 --format json
            """)

    @Option(
        help: ArgumentHelp(
            "Read this frame (default: 0; with OBDonUDS, all).",
            discussion: "Every ECU has frame 0.",
            valueName: "number"))
    var frame: UInt8?

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let table = try loadTable(tables)
        try Pager.print(output) { writer in
            try withVehicle(vehicle, output, table, SessionNeeds(vehicle: .maybeSilent())) {
                try print($0, table, &writer)
            }
        }
    }

    /// Prints the freeze frames of a vehicle.
    private func print(
        _ connection: Vehicle, _ table: PIDTable, _ writer: inout TextOutput
    ) throws {
        var printer = try AnswerPrinter(
            output, table: table, kinds: ItemRows.Keys.data)
        let services = try connection.services()
        printer.names = connection.ecuNames
        let whole = try connection.ask(.freezeFrames, in: services)
        if !whole.isEmpty {
            try print(whole, connection, &printer, &writer)
            return
        }
        let hasSnapshots = services.profiles.contains(.onUDS)
        if hasSnapshots {
            try printSnapshots(services, connection, &printer, &writer)
            if services.profiles == [.onUDS] { return }
        }
        let frame = frame ?? 0
        let scan = try FrameScan(frame, connection, in: services)
        let codes = scan.codes
        let failure = connection.failure(of: scan.causes)
        // A single sentence says for all ECUs that there is no frame.
        let isToldBelow = codes.isEmpty && !hasSnapshots && failure == nil && !printer.takesRows
        for asked in scan.asked {
            try print(asked, codes, connection, &printer, &writer, readings: !isToldBelow)
        }
        try printer.finish(&writer)
        if !codes.isEmpty || hasSnapshots { return }
        if let failure { throw failure }
        output.note("No freeze frame is stored.")
    }

    /// Prints the freeze frames that ECUs keep with their codes.
    private func printSnapshots(
        _ services: VehicleServices, _ connection: Vehicle, _ printer: inout AnswerPrinter,
        _ writer: inout TextOutput
    ) throws {
        let scan = try CodeScan(connection, in: services)
        if let failure = connection.failure(of: scan.asked) { throw failure }
        let snapshots = try SnapshotScan(scan.codes, connection, record: frame)
        for asked in snapshots.asked {
            let time = connection.utc(asked.answer.answered)
            for item in asked.answer.items {
                // Each reading of the frame contains the code.
                if case .code = item { continue }
                try printer.print(item, at: time, to: &writer)
            }
            try printer.printRest(of: asked, at: time, to: &writer)
        }
        try printer.finish(&writer)
        if snapshots.hasFrames { return }
        if let failure = scan.failure(connection) { throw failure }
        if !snapshots.asked.isEmpty, let failure = connection.failure(of: snapshots.asked) {
            throw failure
        }
        output.note("No freeze frame is stored.")
    }

    /// Prints freeze frames that arrive in one message.
    private func print(
        _ whole: [QueryResult], _ connection: Vehicle, _ printer: inout AnswerPrinter,
        _ writer: inout TextOutput
    ) throws {
        for asked in whole {
            let time = connection.utc(asked.answer.answered)
            for item in asked.answer.items { try printer.print(item, at: time, to: &writer) }
            try printer.printRest(of: asked, at: time, to: &writer)
        }
        try printer.finish(&writer)
        if whole.allSatisfy(\.answer.reply.messages.isEmpty) {
            output.note("No freeze frame is stored.")
        }
    }

    private func print(
        _ asked: QueryResult, _ codes: [(ecu: ECUAddress?, code: DTC)], _ connection: Vehicle,
        _ printer: inout AnswerPrinter, _ writer: inout TextOutput, readings: Bool
    ) throws {
        let time = connection.utc(asked.answer.answered)
        for item in asked.answer.items {
            if case .reading(var reading) = item {
                if !readings { continue }
                if reading.dtc == nil, reading.dataID?.id != 0x02 {
                    reading.dtc = codes.first { $0.ecu == reading.ecu }?.code
                }
                // A freeze frame without a code is empty.
                if reading.dtc == nil && reading.dataID?.id != 0x02 { continue }
                try printer.print(.reading(reading), at: time, to: &writer)
            } else {
                try printer.print(item, at: time, to: &writer)
            }
        }
        try printer.printRest(of: asked, at: time, to: &writer)
    }
}
