import OBDCore
public import Simulator
import Synchronization
public import SystemIO

/// Serves the adapters of several simulated vehicles, each on its own thread.
public final class FleetServer: Sendable {
    /// The largest number of adapters: each needs two descriptors, and a process usually has 1,024.
    public static let most = 400

    /// A vehicle and the place of its adapter.
    public struct Vehicle: Sendable {
        /// The vehicle and its adapter.
        public var options: SimulatorOptions
        /// The place at which the adapter is served.
        public var place: ServingPlace

        /// A vehicle at a place.
        public init(_ options: SimulatorOptions, at place: ServingPlace) {
            self.options = options
            self.place = place
        }
    }

    private struct News {
        var addresses: [String] = []
        var fault: (any Error)?
    }

    private let vehicles: [Vehicle]
    private let scheme: String?
    private let inbox: SignalInbox
    private let news = Mutex(News())
    private let changed: EventDescriptor
    private let stop: EventDescriptor

    /// A server of vehicles whose addresses begin with `scheme`; nil = the prefix of the place.
    public init(
        _ vehicles: [Vehicle], scheme: String?, inbox: SignalInbox
    ) throws(SystemError) {
        self.vehicles = vehicles
        self.scheme = scheme
        self.inbox = inbox
        changed = try EventDescriptor()
        stop = try EventDescriptor()
    }

    /// Serves until a signal is in the inbox.
    ///
    /// - Parameters:
    ///   - announce: receives each new address, in the order of the vehicles.
    ///   - begun: is called when all adapters are served.
    /// - Throws: The fault of the first adapter that cannot be served; the others end, too.
    public func serve(announce: (String) throws -> Void, begun: () -> Void) throws {
        var threads: [SystemThread] = []
        defer {
            stop.signal()
            for thread in threads { thread.join() }
        }
        for vehicle in vehicles {
            threads.append(try start(vehicle))
            guard let addresses = try nextAddresses() else { return }
            for address in addresses { try announce(address) }
        }
        begun()
        while let addresses = try nextAddresses() {
            for address in addresses { try announce(address) }
        }
    }

    /// Waits for addresses that were not announced yet; nil after a signal.
    private func nextAddresses() throws -> [String]? {
        while true {
            changed.take()
            let (addresses, fault) = news.withLock { news in
                defer { news.addresses = [] }
                return (news.addresses, news.fault)
            }
            if let fault { throw fault }
            if !addresses.isEmpty { return addresses }
            var list = WaitList()
            let signalled = list.add(inbox.descriptor)
            _ = list.add(changed.descriptor)
            list.wait()
            if list.isReady(signalled) { return nil }
        }
    }

    private func start(_ vehicle: Vehicle) throws(SystemError) -> SystemThread {
        try SystemThread { [self] in
            do {
                let server = VehicleServer(
                    vehicle.place, scheme: scheme, stop: stop.descriptor,
                    log: try RequestLog(path: nil),
                    announce: { [self] in report($0, nil) },
                    lacksRecord: { _ in })
                try server.serve(try vehicle.options.device(at: SystemClock.now()))
            } catch {
                report(nil, error)
            }
        }
    }

    private func report(_ address: String?, _ fault: (any Error)?) {
        news.withLock { news in
            if let address { news.addresses.append(address) }
            news.fault = news.fault ?? fault
        }
        changed.signal()
    }
}
