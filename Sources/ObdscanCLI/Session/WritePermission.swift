import OBDCore
import ScanSession
import VehicleScan

/// Options of commands that can change something in the vehicle or the adapter.
struct WritePermission {
    /// `--yes`: do not ask the user.
    var yes: Bool
    /// `--force`: allow the request while the engine runs or the vehicle moves.
    var force: Bool

    /// Fails before anything is opened if a confirmation is needed and there is no terminal.
    func checkThatSomebodyCanAnswer(for what: String) throws(Failure) {
        guard !yes, !Confirmation.isPossible else { return }
        throw Failure(
            "\(what) needs a confirmation, and there is no terminal to ask on",
            hint: "--yes confirms it beforehand", status: .usage)
    }

    /// Asks the user for confirmation and checks that the vehicle stands still.
    ///
    /// Only this function creates a ``Consent``. The check runs before the question, because the answer may
    /// not be needed, and again after it, because a person may have started the engine in the meantime.
    ///
    /// - Parameters:
    ///   - question: the action that needs confirmation.
    ///   - word: the word that the user has to type.
    ///   - typed: the adapter's settings that the user typed before.
    func consent(
        to question: String, word: String, _ connection: Vehicle,
        after typed: TypedCommands = TypedCommands()
    ) throws -> Consent {
        if !yes {
            try checkStandstill(connection, after: typed)
            try confirm(question, word: word, connection)
        }
        try checkStandstill(connection, after: typed)
        return Consent()
    }

    private func checkStandstill(_ connection: Vehicle, after typed: TypedCommands) throws {
        if force { return }
        do throws(VehicleError) {
            try typed.underUsualSettings(connection) { () throws(VehicleError) in
                try StandstillCheck(connection).run()
            }
        } catch {
            throw error.told(of: connection.accessory)
        }
    }

    /// Asks the user at the terminal.
    private func confirm(_ question: String, word: String, _ connection: Vehicle) throws {
        do {
            guard try Confirmation(word: word).ask(question, interruptedBy: connection.interrupt)
            else { throw Failure(notConfirmedBy: word, "nothing was sent") }
        } catch is Interrupted {
            writeToStandardError("\nnothing was sent\n")
            throw ScanError.interrupted
        }
    }
}
