/// Grants access to a file that is downloaded in several attempts: to one transfer at a time. One more may wait while a
/// canceled transfer has not closed the file.
struct PartialFileAccess<User: Equatable & Sendable>: Equatable, Sendable {
    /// What the caller has to do after an event.
    enum Action: Equatable, Sendable {
        /// The user opens the file, and reports ``PartialFileAccess/close(_:)`` also when that fails.
        case open(User)
        /// Another user has the file.
        case reject(User)
    }

    private enum State: Equatable, Sendable {
        case free
        case used(by: User)
        /// The user was canceled or has failed, and has not closed the file.
        case left(by: User, next: User?)
    }

    private var state = State.free

    var isFree: Bool { state == .free }

    /// The user requests the file. Returns nil when it waits for one that has left.
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

    /// The user no longer wants the file. A user that has access reports ``close(_:)`` later.
    mutating func leave(_ user: User) {
        switch state {
        case .used(user): state = .left(by: user, next: nil)
        case .left(let last, user): state = .left(by: last, next: nil)
        case .free, .used, .left: break
        }
    }

    /// The user has closed the file, or could not open it. Returns `.open` for the user that waits, if there is one.
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
