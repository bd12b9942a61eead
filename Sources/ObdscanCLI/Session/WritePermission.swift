import Diagnostics
import OBDCore
import ScanSession
import VehicleScan

/// Options of commands that can change something in the vehicle or the adapter.
struct WritePermission {
    /// `--yes`: do not ask.
    var yes: Bool
    /// `--force`: also while the engine runs or the vehicle moves.
    var force: Bool

    /// Stops before anything is opened when nobody could be asked.
    func checkThatSomebodyCanAnswer(for what: String) throws(Failure) {
        guard !yes, !Confirmation.isPossible else { return }
        throw Failure(
            "\(what) needs a confirmation, and there is no terminal to ask on",
            hint: "--yes confirms it beforehand", status: .usage)
    }

    /// Refuses while the engine runs or the vehicle moves, unless forced.
    func checkThatVehicleStandsStill(_ connection: Connection) throws {
        if force { return }
        let names = SignalNames(connection.table)
        for (name, what) in [("RPM", "the engine runs"), ("VSS", "the vehicle moves")] {
            let signal = [try names.find(name)]
            let resolved = names.resolve(signal, in: try connection.signalProfiles(for: signal))
            for case .reading(let reading) in try SignalQuestion.all(resolved.signals).flatMap({
                try connection.ask($0).answer.items
            }) {
                guard resolved.signals.contains(where: { $0.signal == reading.signal }),
                    case .number(let value) = reading.value, value > 0
                else { continue }
                throw Failure(
                    "refused while \(what)",
                    hint: "stop it, switch the ignition on again and retry; --force overrides",
                    status: .timedOut)
            }
        }
    }

    /// Asks the person at the terminal, unless `--yes` was given.
    func confirm(_ question: String, word: String, _ connection: Connection) throws {
        if yes { return }
        do {
            guard try Confirmation(word: word).ask(question, interruptedBy: connection.interrupt)
            else { throw Failure(notConfirmedBy: word, "nothing was sent") }
        } catch is Interrupted {
            throw ScanError.interrupted
        }
    }
}
