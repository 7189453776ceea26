import Foundation
import NetChainKit

/// The arguments in, text and a status out.
@main
enum Program {
    static let usage = """
        usage: CommandLineClient --url URL [--cache FOLDER] list [--open] | add TITLE | finish ID | remove ID
               CommandLineClient --demo
        """

    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["--demo"] {
            do { try await runDemo() } catch { end(1, "the demo failed: \(error)") }
            return
        }
        guard arguments.count > 2, arguments[0] == "--url", let base = URL(string: arguments[1]) else {
            end(64, usage)
        }
        arguments.removeFirst(2)
        do {
            let api = TasksApi(base: base, cache: try takeCache(from: &arguments))
            let (status, text) = await run(arguments, with: api)
            end(status, text)
        } catch {
            end(73, "\(error)")
        }
    }

    /// The cache that `--cache FOLDER` names.
    private static func takeCache(from arguments: inout [String]) throws -> HttpCache? {
        guard arguments.count > 1, arguments[0] == "--cache" else { return nil }
        let folder = URL(filePath: arguments[1])
        arguments.removeFirst(2)
        return try HttpCache(folder: folder, limit: 10_000_000)
    }

    /// Runs one command: the status that the program ends with, and what it prints.
    static func run(_ command: [String], with api: TasksApi) async -> (status: Int32, text: String) {
        let result = await perform(command, with: api)
        // The process ends: what isn't written now isn't stored.
        await api.cache?.waitForWrites()
        return result
    }

    private static func perform(_ command: [String], with api: TasksApi) async -> (status: Int32, text: String) {
        do {
            switch (command.first, command.dropFirst().first) {
            case ("list", let option) where option == nil || option == "--open":
                let tasks = try await api.all(onlyOpen: option != nil)
                var lines = tasks.value.map(line)
                if case .stale(_, .offline) = tasks.cache { lines.append("(as of the last contact with the server)") }
                return (0, lines.joined(separator: "\n"))
            case ("add", let title?):
                return (0, line(try await api.add(title)))
            case ("finish", let id?):
                guard let id = Int(id) else { return (64, usage) }
                return (0, line(try await api.finish(id)))
            case ("remove", let id?):
                guard let id = Int(id) else { return (64, usage) }
                try await api.remove(id)
                return (0, "removed \(id)")
            default:
                return (64, usage)
            }
        } catch let error as HttpError {
            // The server answered, and refused: its own words, where it has some.
            let problem = try? error.decodeBody(as: ApiProblem.self)
            return (1, problem?.message ?? "the server answered \(error.response.status)")
        } catch let error as TechnicalError {
            return (2, "the server can't be reached: \(error)")
        } catch {
            return (1, "\(error)")
        }
    }

    private static func line(_ task: TodoItem) -> String {
        "\(task.isDone ? "[x]" : "[ ]") \(task.id) \(task.title)"
    }

    private static func end(_ status: Int32, _ text: String) -> Never {
        if status == 0 { print(text) } else { FileHandle.standardError.write(Data((text + "\n").utf8)) }
        exit(status)
    }
}
