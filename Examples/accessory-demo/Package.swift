// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "accessory-demo",
    dependencies: [.package(name: "obdscan", path: "../..")],
    targets: [
        // Without input and output: the wire protocol, and a simulated device that uses it.
        .target(name: "Paddle", swiftSettings: strict),
        .executableTarget(
            name: "accessory-demo",
            dependencies: ["Paddle", .product(name: "OBDScan", package: "obdscan")],
            swiftSettings: strict),
        .testTarget(name: "PaddleTests", dependencies: ["Paddle"], swiftSettings: strict),
        .testTarget(
            name: "AccessoryDemoTests", dependencies: ["accessory-demo", "Paddle"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
