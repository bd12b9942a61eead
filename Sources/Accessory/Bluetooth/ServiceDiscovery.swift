import CBluetooth
import Glibc
import OBDCore
import SystemIO

/// Asks a Bluetooth device for its services (SDP).
enum ServiceDiscovery {
    // Bluetooth assigned numbers: Serial Port Profile, RFCOMM.
    private static let serialPortProfile: UInt16 = 0x1101
    private static let rfcommProtocol: Int32 = 3

    /// The outcome of a search in the service records.
    enum Finding: Hashable, Sendable {
        /// The channels in the Serial Port Profile records, in their order.
        case found([UInt8])
        /// The device has no such record.
        case noRecord
        /// The caller cancelled the wait.
        case cancelled
    }

    /// The RFCOMM channels of the Serial Port Profile; a device may have several such records.
    ///
    /// - Throws: if the device cannot be reached at all.
    static func serialPortChannels(
        of address: BluetoothAddress, within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> Finding {
        var anyAdapter = bdaddr_t()
        var target = bdaddr_t()
        withUnsafeMutableBytes(of: &target) { $0.copyBytes(from: address.bytes.reversed()) }
        let flags = UInt32(SDP_NON_BLOCKING)
        guard let session = sdp_connect(&anyAdapter, &target, flags) else {
            throw .bluetooth(errno: errno, address.description, channel: nil)
        }
        // Many devices accept only one connection at a time, so this one must be closed before the next.
        defer { sdp_close(session) }
        // The library starts the connection and leaves the waiting to the caller.
        errno = EINPROGRESS
        switch try StreamConnection.finish(
            sdp_get_socket(session), status: -1, deadline: SystemClock.now() + limit,
            cancelledBy: cancel)
        {
        case .connected: break
        // The device is in reach but has no SDP server.
        case .failed(ECONNREFUSED): return .noRecord
        case .failed(let number):
            throw .bluetooth(errno: number, address.description, channel: nil)
        case .timedOut: throw .bluetooth(address: address.description, .silent)
        case .cancelled: return .cancelled
        }
        let channels = channels(over: session)
        return channels.isEmpty ? .noRecord : .found(channels)
    }

    private static func channels(over session: UnsafeMutablePointer<sdp_session_t>) -> [UInt8] {
        var profile = uuid_t()
        sdp_uuid16_create(&profile, serialPortProfile)
        var range: UInt32 = 0x0000_FFFF
        var records: UnsafeMutablePointer<sdp_list_t>?
        let profiles = sdp_list_append(nil, &profile)
        let ranges = sdp_list_append(nil, &range)
        defer {
            sdp_list_free(profiles, nil)
            sdp_list_free(ranges, nil)
        }
        guard
            sdp_service_search_attr_req(
                session, profiles, SDP_ATTR_REQ_RANGE, ranges, &records) == 0
        else { return [] }
        var channels: [UInt8] = []
        var next = records
        while let entry = next?.pointee {
            next = entry.next
            guard let data = entry.data else { continue }
            let record = data.assumingMemoryBound(to: sdp_record_t.self)
            if let channel = self.channel(of: record), !channels.contains(channel) {
                channels.append(channel)
            }
            sdp_record_free(record)
        }
        sdp_list_free(records, nil)
        return channels
    }

    private static func channel(of record: UnsafeMutablePointer<sdp_record_t>) -> UInt8? {
        var protocols: UnsafeMutablePointer<sdp_list_t>?
        guard sdp_get_access_protos(record, &protocols) == 0 else { return nil }
        let port = sdp_get_proto_port(protocols, rfcommProtocol)
        var next = protocols
        while let entry = next?.pointee {
            next = entry.next
            sdp_list_free(entry.data?.assumingMemoryBound(to: sdp_list_t.self), nil)
        }
        sdp_list_free(protocols, nil)
        return UInt8(exactly: port).flatMap { (1...30).contains($0) ? $0 : nil }
    }
}
