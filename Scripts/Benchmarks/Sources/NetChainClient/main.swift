import ClientSupport
import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// NetChainKit in all the ways in which it can be used: mode=sender-callback, sender-await, sender-executor, and the
// same with the default chain and the typed model, chain-…; for figures without I/O pass-ready and pass-later.

extension User: JsonModel {}

struct Failed: Error {}

let arguments = try ClientArguments()
let parts = arguments.mode.split(separator: "-").map(String.init)
guard parts.count == 2 else { throw ClientArguments.Invalid(argument: "mode=\(arguments.mode)") }

if parts[0] == "pass" {
    Passes(isReady: parts[1] == "ready").run()
} else {
    let client = try Client(arguments, usesChain: parts[0] == "chain")
    try await client.startIdleRequests()
    switch parts[1] {
    case "callback": client.runCallbacks()
    case "await": try await runTasks(arguments) { try await client.request() }
    case "executor":
        let executor = client.sender.executor(for: arguments.url)
        try await withTaskExecutorPreference(executor) {
            try await runTasks(arguments) { try await client.request() }
        }
    default: throw ClientArguments.Invalid(argument: "mode=\(arguments.mode)")
    }
}
