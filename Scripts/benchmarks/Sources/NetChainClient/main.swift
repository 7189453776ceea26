import ClientSupport
import FastModels

// NetChainKit: mode=sender is the sender alone. The others decode a typed model: client is `ApiClient`, awaited; chain and
// callbacks keep a chain, awaited and with callbacks on the main queue; fast-models is chain with models that read
// themselves. In sender-thread and client-thread, the tasks run on the sender's thread. passes
// needs no server.

let arguments = ClientArguments()

func run<Model: Decodable & Sendable>(_ model: Model.Type) throws {
    let client = try Client(arguments, decoding: model)
    switch arguments.mode {
    case "passes": Passes.run()
    case "sender": client.runSender()
    case "sender-thread": client.runSender(on: client.sender.taskExecutor)
    case "client": try client.runClient()
    case "client-thread": try client.runClient(on: client.sender.taskExecutor)
    case "chain", "fast-models": client.runChain()
    case "callbacks": client.runCallbacks()
    default: fail("mode=\(arguments.mode)")
    }
}

switch arguments.model {
case .user: try run(User.self)
case .users where arguments.mode == "fast-models": try run([FastUser].self)
case .users: try run([User].self)
}
