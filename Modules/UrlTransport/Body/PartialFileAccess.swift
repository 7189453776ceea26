/// Which transfer may open a file that is loaded in several attempts: one at a time, and one more waits while a canceled
/// one has not closed it yet.
struct PartialFileAccess<User: Equatable & Sendable>: Equatable, Sendable {
    /// What an event asks the caller to do.
    enum Action: Equatable, Sendable {
        /// The user opens the file, and reports ``PartialFileAccess/close(_:)`` in any case.
        case open(User)
        /// Another user has the file.
        case reject(User)
    }

    private enum State: Equatable, Sendable {
        case free
        case used(by: User)
        /// The user was canceled, or is too late, and has not closed the file.
        case left(by: User, next: User?)
    }

    private var state = State.free

    /// Whether there is no user.
    var isFree: Bool { state == .free }

    /// The user wants the file.
    mutating func ask(_ user: User) -> Action? {
        switch state {
        case .free:
            state = .used(by: user)
            return .open(user)
        case .left(let last, nil):
            state = .left(by: last, next: user)
            return nil
        case .used, .left: return .reject(user)
        }
    }

    /// The user doesn't want the file any more. One that has it reports ``close(_:)`` later.
    mutating func leave(_ user: User) {
        switch state {
        case .used(user): state = .left(by: user, next: nil)
        case .left(let last, user): state = .left(by: last, next: nil)
        case .free, .used, .left: break
        }
    }

    /// The user has closed the file, or could not open it.
    mutating func close(_ user: User) -> Action? {
        switch state {
        case .left(user, let next?):
            state = .used(by: next)
            return .open(next)
        case .used(user), .left(user, nil):
            state = .free
            return nil
        case .free, .used, .left: return nil
        }
    }
}
