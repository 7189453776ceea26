struct Traffic {
    var received = 0
    var sent = 0

    var isEmpty: Bool { received == 0 && sent == 0 }
}
