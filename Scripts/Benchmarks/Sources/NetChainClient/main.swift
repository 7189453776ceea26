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

switch arguments.mode {
case "pass-ready": Passes(isReady: true).run()
case "pass-later": Passes(isReady: false).run()
case "sender-callback", "sender-await", "sender-executor": run(try Client(arguments, usesChain: false))
case "chain-callback", "chain-await", "chain-executor": run(try Client(arguments, usesChain: true))
default: throw ClientArguments.Invalid(argument: "mode=\(arguments.mode)")
}

func run(_ client: Client) {
    if arguments.idle > 0 { wait { try await client.startIdleRequests() } }
    switch arguments.mode {
    case "sender-await", "chain-await":
        wait { try await runTasks(arguments) { try await client.request() } }
    case "sender-executor", "chain-executor":
        wait {
            try await withTaskExecutorPreference(client.sender.executor(for: arguments.url)) {
                try await runTasks(arguments) { try await client.request() }
            }
        }
    default: client.runCallbacks()
    }
}
