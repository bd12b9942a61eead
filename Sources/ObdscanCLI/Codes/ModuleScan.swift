import Diagnostics
import Glibc
import OBDCore
import ScanSession
import SystemIO

/// What the ECUs at addresses of their own say about trouble codes.
struct ModuleScan: Sendable {
    /// One ECU.
    struct Module: Sendable {
        /// Its addresses.
        var module: ModuleWalk.Module
        /// What it calls itself, or what standards call its address.
        var name: String?
        /// What it was asked for its codes.
        var asked: [Asked]

        /// Its codes.
        var codes: [CodeReport] {
            asked.flatMap(\.answer.items).compactMap { item in
                if case .code(let report) = item { report } else { nil }
            }
        }

        /// The service that brought them; nil where every one was refused or unanswered.
        var service: Service? {
            asked.first(where: \.isPositive)?.answer.exchange.request?.first.map { Service($0) }
        }

        /// Its first refusal: of UDS where it speaks that; nil where it did not refuse.
        var refusal: NegativeResponse? {
            for case .negativeResponse(let refusal, _, _) in asked.flatMap(\.answer.items) {
                return refusal
            }
            return nil
        }
    }

    /// Who answered.
    private(set) var modules: [Module] = []
    /// Addresses that were not asked because the time was up.
    private(set) var unasked = 0

    /// Asking every address ends after so long, whatever comes; the modules found are still asked.
    static let limit = Duration.seconds(120)

    /// Walks the addresses of a protocol; nil where it has none to walk.
    ///
    /// The adapter's settings for single ECUs are put back on every path.
    init?(
        _ connection: Connection, on vehicleProtocol: VehicleProtocol, _ output: OutputOptions
    ) throws(ScanError) {
        guard let walk = ModuleWalk(vehicleProtocol) else { return nil }
        do throws(ScanError) {
            try run(walk, connection, WalkProgress(output))
        } catch {
            restore(connection)
            throw error
        }
        restore(connection)
    }

    private mutating func run(
        _ walk: ModuleWalk, _ connection: Connection, _ progress: WalkProgress
    ) throws(ScanError) {
        var walk = walk
        defer { progress.clear() }
        let end = SystemClock.now() + Self.limit
        while SystemClock.now() < end, let request = walk.next() {
            progress.show(
                "asking address \(walk.done) of \(walk.addresses), \(walk.modules.count) answered")
            let asked = try connection.ask(.vehicle(request))
            walk.answered(asked.answer.reply.messages)
        }
        unasked = walk.addresses - walk.done
        for (number, module) in walk.modules.enumerated() {
            progress.show("reading module \(number + 1) of \(walk.modules.count)")
            var found = Module(module: module, name: module.standardName, asked: [])
            for request in ModuleWalk.codeRequests(for: module) {
                let asked = try connection.ask(.vehicle(request))
                found.asked.append(asked)
                if asked.isPositive { break }
            }
            let named = try connection.ask(.vehicle(ModuleWalk.nameRequest(for: module)))
            if let name = named.answer.reply.messages.lazy.compactMap(ModuleWalk.name(in:)).first {
                found.name = name
            }
            modules.append(found)
        }
    }

    /// Also after an interruption, whose signal would end this request as well.
    private func restore(_ connection: Connection) {
        let nothing = VehicleRequest(id: RequestID(rawValue: 0), payload: [], mayRepeat: true)
        _ = try? connection.scan.ask(.vehicle(nothing))
    }
}

/// One line on the terminal that tells how far a walk is.
private struct WalkProgress {
    private let isShown: Bool

    init(_ output: OutputOptions) {
        isShown = StatusLine.isWatched(output) && !output.verbose
    }

    func show(_ text: String) {
        if isShown { StatusLine.show(text) }
    }

    func clear() {
        if isShown { StatusLine.clear() }
    }
}
