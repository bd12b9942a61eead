import Diagnostics
import OBDCore
import ScanSession

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
        for (pid, what) in [(UInt8(0x0C), "the engine runs"), (0x0D, "the vehicle moves")] {
            for case .reading(let reading) in try connection.ask([0x01, pid]).answer.items {
                guard reading.dataID == DataID(.currentData, UInt32(pid)),
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
            else {
                throw Failure("nothing was sent", status: .usage)
            }
        } catch is Interrupted {
            throw ScanError.interrupted
        }
    }
}
