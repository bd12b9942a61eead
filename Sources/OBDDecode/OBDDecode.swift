/// The libraries that turn bytes into readings and codes, without any library of the system: `import OBDDecode`.
@_exported public import Adapters
@_exported public import Conversation
@_exported public import Diagnostics
@_exported public import OBDCore
@_exported public import PIDTables
@_exported public import VehicleLink
