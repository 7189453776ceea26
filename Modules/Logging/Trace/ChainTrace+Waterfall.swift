extension ChainTrace {
    /// The run as a waterfall, a row per node: its time with all that it called, its own time, and a bar.
    ///
    /// ```
    ///                      total       own
    /// LoggerNode         48.2 ms    0.1 ms  ████████████████████
    ///   AccessSafeNode   48.1 ms    0.4 ms  ████████████████████
    ///     SenderNode     20.3 ms   20.3 ms  ████████
    ///     SenderNode     27.2 ms   27.2 ms           ███████████
    /// ```
    ///
    /// - Parameter width: the length of the longest bar in characters.
    package func waterfall(width: Int = 40) -> String {
        let names = rows.map { row in
            String(repeating: "  ", count: row.depth) + row.name + (row.end == "failed" ? " ✗" : "")
        }
        let column = names.map(\.count).max() ?? 0
        let whole = max(rows.first?.duration ?? .zero, .nanoseconds(1))
        let title = "\(left("", column)) \(right("total", 11)) \(right("own", 11))\n"
        return zip(names, rows).reduce(into: title) { text, line in
            let (name, row) = line
            let start = min(Int((row.offset / whole * Double(width)).rounded()), max(width - 1, 0))
            let length = min(max(Int((row.duration / whole * Double(width)).rounded()), 1), max(width - start, 1))
            let bar = String(repeating: " ", count: max(start, 0)) + String(repeating: "█", count: length)
            text += left(name, column)
            text += " \(right(row.duration.inMilliseconds, 11)) \(right(row.own.inMilliseconds, 11))  \(bar)\n"
        }
    }

    private func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }

    private func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }
}
