public import Accessory
public import Diagnostics
public import OBDCore
public import ScanSession
import SystemIO

// For tasks: no member here occupies a thread of Swift's own pool while it waits for a vehicle, and each ends soon
// after its task is cancelled.
extension Vehicle {
    /// Opens an adapter like ``open(_:table:monitors:ecu:sinks:inbox:)``.
    public static func connect(
        to address: AccessoryAddress, table: PIDTable, monitors: MonitorTables,
        ecu: ECUAddress? = nil, sinks: [any ReadingSink] = []
    ) async throws -> Vehicle {
        try await onThread { cancellation in
            try open(
                address, table: table, monitors: monitors, ecu: ecu, sinks: sinks, inbox: nil,
                interruptedBy: cancellation.descriptor)
        }
    }

    /// Ends the session in order, like ``close()``.
    public func disconnect() async {
        // Without a thread the session ends here.
        do { try await Self.onThread { _ in close() } } catch { close() }
    }

    /// Does work that waits, such as ``ask(_:target:)``, on a thread of its own.
    ///
    /// When the task is cancelled, the request that waits throws `ScanError.interrupted`, and this
    /// method throws `CancellationError`.
    public func blocking<Value: Sendable>(
        _ work: @escaping @Sendable (Vehicle) throws -> Value
    ) async throws -> Value {
        try await Self.onThread { cancellation in
            var vehicle = self
            vehicle.cancellation = cancellation
            return try work(vehicle)
        }
    }

    /// Reads the stored, pending and permanent codes of all ECUs.
    ///
    /// - Throws: ``VehicleError`` if a list is missing or damaged, because the other codes would look complete.
    public func codes() async throws -> [CodeReport] {
        try await blocking { vehicle in
            let scan = try CodeScan(vehicle, in: vehicle.services())
            if let problem = scan.problem(vehicle) { throw problem }
            return scan.codes
        }
    }

    /// Reads signals once, by their names.
    public func read(_ name: String, _ more: String...) async throws -> [SignalReading] {
        try await blocking { try $0.read([name] + more) }
    }

    /// Reads signals again and again, as often as the link allows, or once per `period`.
    ///
    /// A name can have its own rate: `ect@5s`, `rpm@10Hz`. The stream ends when the session is closed, or another
    /// poll begins, and throws the error of a session that failed. The poll ends when the stream has no reader any
    /// more, or the reader's task is cancelled. If the reader is slow, the oldest readings are dropped.
    public func readings(
        _ names: String..., every period: Duration? = nil
    ) -> AsyncThrowingStream<SignalReading, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(4_096)) { continuation in
            let task = Task {
                do {
                    let setup = try await blocking { vehicle in
                        var setup = PollSetup(
                            try vehicle.resolve(names, paced: true), table: vehicle.table,
                            every: period,
                            ecu: vehicle.hasPhysicalRequests ? vehicle.ecu : nil)
                        setup.onlyECU = vehicle.ecu
                        return setup
                    }
                    for try await batch in scan.batches(of: setup.plan) {
                        let time = utc(batch.answered)
                        if let volts = batch.voltage, setup.readsVoltage {
                            continuation.yield(voltage(volts, at: time))
                        }
                        for case .reading(let reading) in batch.items where setup.wants(reading) {
                            continuation.yield(signalReading(reading, at: time))
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Runs `work` on a thread of its own; the descriptor becomes readable when the task is cancelled.
    private static func onThread<Value: Sendable>(
        _ work: @escaping @Sendable (EventDescriptor) throws -> Value
    ) async throws -> Value {
        let cancellation = try EventDescriptor()
        do {
            return try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await withCheckedThrowingContinuation { continuation in
                    do {
                        let thread = try SystemThread {
                            continuation.resume(with: Result { try work(cancellation) })
                        }
                        thread.detach()
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            } onCancel: {
                cancellation.signal()
            }
        } catch VehicleError.session(.interrupted) where Task.isCancelled {
            throw CancellationError()
        }
    }
}
