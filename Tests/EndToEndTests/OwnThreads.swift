import Foundation
import Testing

/// Runs a suite's tests on their own threads.
///
/// A step of a test must not wait until other tests, which compute or block, free one of the few
/// threads of the common pool, because programs, adapters and their timeouts do not wait for it.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadAJob.shared) { try await body() }
    }
}

extension Trait where Self == OwnThreads {
    /// Runs tests without waiting for the common pool.
    static var ownThreads: Self { OwnThreads() }
}

/// Creates a new thread for every piece of work between two suspensions.
private final class ThreadAJob: TaskExecutor {
    static let shared = ThreadAJob()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        Thread.detachNewThread { job.runSynchronously(on: executor) }
    }
}
