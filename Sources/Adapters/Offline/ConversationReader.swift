public import OBDCore

/// Reads what was recorded of an adapter's conversation, line by line, without an adapter.
public struct ConversationReader: Sendable {
    /// What the text does not say itself.
    public struct Options: Hashable, Sendable {
        /// The request that the whole input answers, as typed: `010C`; nil = the text tells.
        public var request: String?
        /// How to read headers where the text alone is ambiguous.
        public var vehicleProtocol: VehicleProtocol?

        /// Options; without any the text tells.
        public init(request: String? = nil, vehicleProtocol: VehicleProtocol? = nil) {
            self.request = request
            self.vehicleProtocol = vehicleProtocol
        }
    }

    let options: Options

    /// A reader at the beginning of its input.
    public init(_ options: Options) {
        self.options = options
    }

    /// Takes one line without its line end; `number` counts from 1.
    public mutating func read(
        _ line: some Collection<UInt8>, number: Int, _ out: inout [ConversationItem]
    ) {}

    /// Ends the input.
    public mutating func finish(_ out: inout [ConversationItem]) {}
}
