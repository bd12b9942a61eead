import Accessory
import Adapters
import Delivery
import Diagnostics
import Engines
import Glibc
import LocalLinks
import OBDCore
import PIDTables
import ScanSession
import Settings
import Simulator
import SystemIO
import TableReports
import TripReports
import TripStore
import VehicleReports
import VehicleScan

// Maps every error that can end a command to message, hint and exit code. The switches are
// exhaustive, so the compiler demands a message for each new case.

extension Failure {
    /// An error that means the same everywhere; nil for any other.
    init?(known error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as OutputError: self.init(error)
        case let error as SignalError: self.init(error)
        case let error as SystemError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as FileError: self.init(error)
        case let error as TripReportError: self.init(error)
        case let error as TableError: self.init(error)
        case let error as TableImportFault: self.init(error)
        case let fault as CodeTable.Fault: self.init(fault)
        case let error as MonitorTableError: self.init(error)
        case let error as AccessoryError: self.init(error)
        case let error as SimulatorError: self.init(error)
        case let fault as LocalLinkFault: self.init(fault)
        case let error as EngineError: self.init(error)
        case let fault as SinkFault: self.init(fault)
        case let fault as SinkIsBusy: self.init(fault)
        default: return nil
        }
    }

    /// A fault of standard output.
    init(_ error: OutputError) {
        switch error {
        case .readerGone:
            self = .silent(.done)
        case .failed(let number):
            self.init(
                "standard output: \(describe(errno: number))",
                hint: number == ENOSPC
                    ? "make room on the disk, then run it again"
                    : "check that the redirected output can be written",
                status: .cannotCreate)
        }
    }

    /// A file that cannot be read.
    init(inputFile path: String, errno number: Int32) {
        self.init(
            "\(path): \(describe(errno: number))", hint: FileRemedy.reading(path, errno: number),
            status: number == EACCES || number == EPERM ? .noPermission : .noInput)
    }

    /// A file that cannot be created or written.
    init(outputFile path: String, errno number: Int32) {
        self.init(
            "\(path): \(describe(errno: number))", hint: FileRemedy.writing(path, errno: number),
            status: .cannotCreate)
    }

    /// A transcript that broke off.
    init(brokenRecording path: String, errno number: Int32) {
        self.init(
            "\(path): the recording broke off: \(describe(errno: number))",
            hint: number == ENOSPC ? "make room on the disk, or record elsewhere" : nil,
            status: .cannotCreate)
    }

    /// A file that is not suitable for its purpose.
    init(_ error: FileError) {
        switch error {
        case .unreadable(let path, let number): self.init(inputFile: path, errno: number)
        case .unwritable(let path, let number): self.init(outputFile: path, errno: number)
        case .isSource(let path):
            self.init(
                "\(path) is what is being read from", hint: "name another file",
                status: .cannotCreate)
        case .changed(let path):
            self.init(
                "\(path) was changed while it was read",
                hint: "nothing of it was stored; try again when it is complete", status: .badData)
        }
    }

    /// A fault in the embedded tables, which the tests check.
    init(_ error: MonitorTableError) {
        self.init(
            error.description, hint: "this is a fault of obdscan: please report it", status: .bug)
    }

    /// A database that cannot be used.
    init(_ error: StoreError) {
        let message: String
        var hint: String?
        let code: ExitStatus
        switch error {
        case .missing(let path):
            message = "\(path): there is no database"
            hint = "\"obdscan log\" records a trip; --db FILE names another database"
            code = .noInput
        case .empty(let path):
            message = "\(path): the database is empty: making it was not completed"
            hint = "\"obdscan log\" records a trip and creates a new one"
            code = .noInput
        case .foreign(let path):
            message = "\(path) is not an obdscan database"
            hint = "--db FILE names another one"
            code = .badData
        case .newer(let path, let version, let known):
            message =
                "\(path) was made by a newer obdscan: version \(version), this program knows \(known)"
            hint = "update obdscan, or use another database with --db FILE"
            code = .badData
        case .older(let path, let version):
            message = "\(path) has the older version \(version) and may not be written to"
            hint =
                access(path, W_OK) != 0 && errno == EROFS
                ? "\"obdscan db merge \(path)\" takes its trips into your database"
                : "make it writable once, so that it can be brought up to date: chmod u+w \(path)"
            code = .noPermission
        case .cannotCreate(let path, let number):
            message = "\(path): \(describe(errno: number))"
            hint = "--db FILE names another place"
            code = .cannotCreate
        case .permission(let path):
            message = "\(path): permission denied"
            hint = "--db FILE names another database"
            code = .noPermission
        case .readOnly(let path):
            message = "\(path) may be read only"
            hint = "--db FILE names another database"
            code = .noPermission
        case .readOnlyDisk(let path):
            message = "\(path) is on a file system that is mounted read-only"
            hint =
                "its trips can be read; to store anything, name another database with --db FILE, or "
                + "copy this one"
            code = .noPermission
        case .full(let path):
            message = "\(path): the disk is full"
            hint = "make room, or record elsewhere with --db FILE"
            code = .cannotCreate
        case .locked(let path):
            message = "\(path) is locked by another program"
            hint = "end it, then try again"
            code = .timedOut
        case .damaged(let path, let words):
            message = "\(path) is damaged: \(words)"
            hint = "\"obdscan db recover --to NEW.db\" saves what is left"
            code = .badData
        case .unknownTrip(let number, _):
            message = "there is no trip \(TripSummary.text(ofNumber: number))"
            hint = "\"obdscan trips\" lists them"
            code = .usage
        case .tripIsOpen(let number, _):
            message = "trip \(number) is still being recorded"
            hint = "end its recording first: Ctrl-C where \"obdscan log\" runs"
            code = .timedOut
        case .lost(let entries, let reason):
            let inner = Failure(reason)
            message = "\(entries) entries could not be stored: \(inner.message)"
            hint = inner.hint
            code = inner.status
        case .removed(let path, let reason):
            let inner = Failure(reason)
            message =
                "\(path) was removed while it was written to, and what it held cannot be saved: "
                + inner.message
            hint = inner.hint
            code = inner.status
        case .other(let path, let number, let words):
            message = "\(path): \(words) (SQLite \(number))"
            hint = "\"obdscan db check\" looks for damage; --db FILE names another database"
            code = .badData
        }
        self.init(message, hint: hint, status: code)
    }

    /// The failure to report at the end if the open database was replaced; nil = there is none.
    init?(_ relocation: TripStore.Relocation?) {
        guard case .elsewhere(let path, let instead) = relocation else { return nil }
        self.init(
            "\(instead) was replaced by another file; the trip is in \(path)",
            hint: "\"obdscan trips --db \(path)\" lists it", status: .cannotCreate)
    }

    /// A fault in a user's PID table; the embedded one is checked when obdscan is built.
    init(_ error: TableError) {
        self.init(
            error.description,
            hint: "\"obdscan pids lint FILE\" checks a table; see obdscan-pids(5)",
            status: .badData)
    }

    /// A device address that is not valid.
    init(_ error: AddressError) {
        self.init(
            error.reason,
            hint: (error.suggestion.map { "did you mean \($0)? " } ?? "")
                + "forms: " + TransportRegistry.all.forms.flatMap(\.full).joined(separator: ", "),
            status: .usage)
    }

    /// A session with `accessory` that could not start or continue.
    init(_ error: ScanError, accessory: String) {
        switch error {
        case .accessory(let error): self.init(error)
        case .initialisation(let failure): self.init(failure, accessory: accessory)
        case .adapterSilent:
            self.init(
                "\(accessory): the adapter stopped answering",
                hint: "unplug it and plug it in again; --record FILE shows what it said last",
                status: .unavailable)
        case .linkLost(let error):
            let reason = Failure(error)
            self.init(
                "the link was lost: \(reason.message)", hint: reason.hint, status: .linkLost)
        case .requestFailed(let reason, _):
            switch reason {
            case .timedOut:
                self.init(
                    "\(accessory): no complete answer in time",
                    hint: "turn the ignition on, then try again", status: .timedOut)
            case .stopped:
                self.init(
                    "\(accessory): the request was stopped", hint: "try again", status: .timedOut)
            case .flooded:
                self.init(
                    "\(accessory): more data arrived than any answer has",
                    hint: "another device may be sending on this line", status: .unavailable)
            case .outOfStep:
                self.init(
                    "\(accessory): the adapter answered another request than the one that was sent",
                    hint: "unplug the adapter and plug it in again, then try again",
                    status: .timedOut)
            case .notSent:
                self.init(
                    "\(accessory): this adapter cannot send such a request: nothing was sent",
                    hint:
                        "\"obdscan doctor\" shows what it can do; an OBDLink or a genuine ELM327 can "
                        + "send more", status: .unavailable)
            case .adapterRestarted:
                self.init(
                    "\(accessory): the adapter restarted in the middle of a request",
                    hint: "its power supply may be weak: start the engine, or check the plug",
                    status: .timedOut)
            case .restartedBeforeSending:
                self.init(
                    "\(accessory): the adapter restarted or lost its settings before the request was sent",
                    hint: "try again; if it comes back, check the plug and its power supply",
                    status: .timedOut)
            case .linkLost:
                self.init(
                    "\(accessory): the link was lost",
                    hint: "is it still plugged in and in reach?", status: .linkLost)
            }
        case .refused(let refusal):
            switch refusal {
            case .notReady, .busy, .stopping:
                self.init(
                    "\(accessory): the request was refused (\(refusal))",
                    hint: "this is a fault of obdscan: please report it", status: .bug)
            case .needsConsent:
                self.init(
                    "\(accessory): obdscan did not send the request: it may change something",
                    hint: "\"obdscan send\" asks before it sends such a request", status: .usage)
            case .inError:
                self.init(
                    "\(accessory): the adapter has failed",
                    hint: "unplug it and plug it in again", status: .unavailable)
            }
        case .interrupted, .stopped:
            self = .silent(.done)
        case .system(let call, let number):
            self.init(systemCall: call, errno: number)
        }
    }

    /// A system call that fails only if the machine lacks resources.
    init(systemCall call: String, errno number: Int32) {
        self.init(
            "\(call): \(describe(errno: number))",
            hint: "is the machine short of memory or open files (ulimit -n)? else please report it",
            status: .bug)
    }

    /// An adapter that could not be set up.
    init(_ failure: InitialisationFailure, accessory: String) {
        switch failure {
        case .silent:
            let hasRate = !accessory.contains(":") || accessory.hasPrefix("serial:")
            self.init(
                "\(accessory): nothing answers",
                hint: accessory.hasPrefix("\(DoIPTransport.form.scheme):")
                    ? "turn the ignition on; \"obdscan devices list --doip\" finds DoIP gateways"
                    : "is the adapter plugged into the car and its light on? another program may use "
                        + "it"
                        + (hasRate ? "; a serial line may need its rate: serial:PATH?baud=N" : ""),
                status: .unavailable)
        case .notUnderstood(let count):
            self.init(
                "\(accessory): it sent \(counted(count, "byte that is", "bytes that are")) not from an adapter",
                hint: "is it another device, such as a GPS receiver? A serial line may need its "
                    + "rate: serial:PATH?baud=N. --adapter names the dialect",
                status: .unavailable)
        case .refusesEverything:
            self.init(
                "\(accessory): it answers \"?\" to every command: it is not an ELM327 adapter",
                hint: "choose another device; \"obdscan devices\" lists them",
                status: .unavailable)
        case .busNotOpened:
            self.init(
                "\(accessory): the adapter refuses to open the CAN bus",
                hint: "end other programs that use it; unplug it and plug it in again",
                status: .unavailable)
        case .webServer:
            self.init(
                "\(accessory): this is a web page, not an adapter",
                hint: "adapters listen on 35000: -d tcp:HOST:35000",
                status: .unavailable)
        case .timedOut(let command):
            self.init(
                "\(accessory): no prompt after \(command)",
                hint: "unplug the adapter and plug it in again", status: .unavailable)
        case .noVehicle(let status):
            self = Failure(insteadOfAnswer: status, accessory: accessory)
            isOfSilentVehicle = true
        case .restarting:
            self.init(
                "\(accessory): the adapter keeps restarting",
                hint: "its power supply is weak: check the plug and the car's battery",
                status: .unavailable)
        case .interrupted:
            self = .silent(.done)
        case .activationRefused(let code):
            let (what, hint) = Self.words(ofActivation: code)
            self.init(
                "\(accessory): \(what) (0006, code \(Hex.string([code])))", hint: hint,
                status: code == 0x04 || code == 0x05 || code == 0x07
                    ? .noPermission : .unavailable)
        case .headerRefused(let code):
            self.init(
                "\(accessory): the DoIP gateway refuses obdscan's messages (0000, code "
                    + "\(Hex.string([code])))",
                hint: code == 0x00
                    ? "name its version of the protocol: -d doip:HOST?version=3"
                    : "end other programs that use it, then try again", status: .unavailable)
        }
    }

    /// Why a DoIP gateway refuses routing activation (ISO 13400-2, codes of message 0006).
    private static func words(ofActivation code: UInt8) -> (what: String, hint: String) {
        switch code {
        case 0x00:
            (
                "the DoIP gateway does not know this tester's address",
                "name another one: -d doip:HOST?source=0E00"
            )
        case 0x01:
            (
                "the DoIP gateway has no free connection",
                "end other programs that use it, then try again"
            )
        case 0x02:
            (
                "the DoIP gateway knows this connection by another tester's address",
                "try again; each connection has one address"
            )
        case 0x03:
            (
                "another connection to the DoIP gateway uses this tester's address",
                "end the other program, or name another address: -d doip:HOST?source=0E81"
            )
        case 0x04:
            (
                "the DoIP gateway requires the maker's authentication",
                "use the maker's tester, or connect an adapter to the OBD socket"
            )
        case 0x05:
            (
                "the vehicle's user has not confirmed the connection",
                "confirm it in the vehicle, then try again"
            )
        case 0x06:
            (
                "the DoIP gateway does not support the usual activation",
                "use the maker's tester, or connect an adapter to the OBD socket"
            )
        case 0x07:
            (
                "the DoIP gateway requires an encrypted connection (TLS), which obdscan does not have",
                "connect an adapter to the OBD socket"
            )
        case 0x11:
            (
                "the DoIP gateway waits for a confirmation in the vehicle",
                "confirm it in the vehicle, then try again"
            )
        default:
            (
                "the DoIP gateway refuses diagnostics from this tester",
                "use the maker's tester, or connect an adapter to the OBD socket"
            )
        }
    }

    /// The adapter's status in place of an ECU's answer.
    init(insteadOfAnswer status: AdapterStatus, accessory: String) {
        self =
            Failure(status, accessory: accessory)
            ?? Failure(
                "\(accessory): the adapter did not understand the request (?)",
                hint: "try --protocol, or another adapter", status: .unavailable)
    }

    /// The hint for a controller that counts errors: root restarts an interface by setting it down and up.
    private static func hint(forErrorsOn accessory: String, otherwise last: String) -> String {
        let check = "check the bit rate, CAN-H and CAN-L, and the 60 ohms between them; then "
        guard accessory.hasPrefix("can:") else { return check + last }
        let interface = accessory.dropFirst(4)
        return check
            + "sudo ip link set \(interface) down; sudo ip link set \(interface) up"
    }

    /// The adapter's status in place of data; nil for a status that is itself an answer.
    init?(_ status: AdapterStatus, accessory: String) {
        let what: String
        let hint: String
        var code = ExitStatus.unavailable
        var isSilence = false
        switch status {
        case .noData:
            // Other dialects are silent without these words, and an ELM327 may have said others before.
            what = "no ECU answered"
            hint = "the vehicle may not support it, or the ignition is off"
            code = .timedOut
        case .unableToConnect:
            isSilence = true
            what = "the adapter works, but the vehicle does not answer (UNABLE TO CONNECT)"
            hint =
                "turn the ignition on and push the plug in firmly; --protocol tries a single protocol"
        case .busInitError:
            isSilence = true
            what = "the vehicle's bus could not be initialised (BUS INIT: ERROR)"
            hint = "turn the ignition on; wait five seconds before the next try"
        case .busBusy:
            what = "the vehicle's bus is busy (BUS BUSY)"
            hint = "try again"
            code = .timedOut
        case .busError:
            isSilence = true
            what = "invalid signals on the vehicle's bus (BUS ERROR)"
            hint = "check the plug; --protocol auto looks for the right protocol"
        case .canError:
            isSilence = true
            what = "no ECU on the CAN bus acknowledges (CAN ERROR)"
            hint = "turn the ignition on; --protocol auto looks for the right protocol"
        case .dataError, .rxError:
            what = "answers came damaged"
            hint = "check the plug; --protocol auto looks for the right protocol"
        case .bufferFull:
            what = "the adapter's buffer was full (BUFFER FULL)"
            hint = "request fewer signals at once, or use a faster line"
        case .feedbackError:
            what = "the adapter's output does not work (FB ERROR)"
            hint = "the adapter or its plug is broken"
        case .stopped:
            what = "the adapter was interrupted (STOPPED)"
            hint = "try again"
            code = .timedOut
        case .flowControlTimeout:
            what = "the ECU did not accept a long request (FC RX TIMEOUT)"
            hint = "try again, or ask one ECU alone with --ecu"
            code = .timedOut
        case .lowVoltageReset:
            what = "the supply voltage dropped and the adapter restarted (LV RESET)"
            hint = "check the plug and the car's battery"
        case .internalError:
            what = "the adapter reports an internal fault"
            hint = "unplug the adapter and plug it in again"
        case .fatalCANError:
            isSilence = true
            what = "the adapter gave up after a fault on the CAN bus (ERR94)"
            hint =
                "check the plug and the protocol; --protocol auto looks for the right one; then unplug "
                + "the adapter and plug it in again"
        case .activityAlert, .lowPowerAlert:
            what = "the adapter warned that it will sleep, and did not answer (\(status.text))"
            hint = "try again; if it sleeps again, unplug the adapter and plug it in again"
            code = .timedOut
        case .confirmation:
            what = "the adapter said OK instead of an answer"
            hint = "try again, or unplug the adapter and plug it in again"
            code = .timedOut
        case .unknownCommand:
            return nil
        case .busOff:
            what = "the CAN controller left the bus after too many errors (bus-off)"
            hint = Self.hint(
                forErrorsOn: accessory, otherwise: "unplug the adapter and plug it in again")
        case .errorPassive:
            what = "the CAN controller counts many errors (error passive)"
            hint = Self.hint(forErrorsOn: accessory, otherwise: "try again")
        case .wireFault:
            what = "the CAN transceiver reports a broken or shorted wire"
            hint = "check CAN-H (pin 6) and CAN-L (pin 14) of the vehicle's socket, and the plug"
        case .notAcknowledged:
            what = "no ECU on the CAN bus acknowledges what is sent"
            hint = "turn the ignition on; check the bus's bit rate, CAN-H and CAN-L"
        case .sourceRefused:
            what = "the DoIP gateway refuses this tester's address (8003, code 02)"
            hint = "another one may be allowed: -d doip:HOST?source=0E00"
        case .unknownTarget:
            what = "the DoIP gateway knows no ECU at that address (8003, code 03)"
            hint =
                "obdscan dtc list --all-modules finds ECUs; doip:HOST?functional=E400 sets the "
                + "address of all of them"
        case .requestTooLong:
            what = "the DoIP gateway refuses a request of that length (code 04)"
            hint = "ask for less at once"
        case .gatewayBusy:
            what = "the DoIP gateway has no memory left for the request (code 05)"
            hint = "end other programs that use it, then try again"
        case .targetUnreachable:
            what = "the DoIP gateway cannot reach the ECU (8003, code 06)"
            hint = "turn the ignition on"
            code = .timedOut
        case .unknownNetwork:
            what = "the DoIP gateway does not know the ECU's network (8003, code 07)"
            hint = "obdscan dtc list --all-modules finds ECUs"
        case .messageRefused:
            what = "the DoIP gateway refused the message (0000)"
            hint = "it may not know such a request; ask one ECU alone with --ecu"
        case .transportFailed:
            what = "the network between the DoIP gateway and the ECU fails (8003, code 08)"
            hint = "turn the ignition on, then try again"
            code = .timedOut
        }
        self.init("\(accessory): \(what)", hint: hint, status: code)
        isOfSilentVehicle = isSilence
    }

    /// The failure with a hint that the protocol may be wrong, if the vehicle is silent and
    /// `chosen` is not left to the adapter.
    func doubting(_ chosen: ProtocolOption) -> Failure {
        guard isOfSilentVehicle, let name = chosen.vehicleProtocol?.title else { return self }
        var failure = self
        failure.hint =
            "only \(name) was tried, which may be wrong: --protocol auto looks for the right one; "
            + "is the ignition on?"
        return failure
    }
}

/// The system's message for an error number: `No such file or directory`.
func describe(errno number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}
