/// Tells work that is a part of some other work: it travels where a journal travels, through queue hops and tasks too.
package struct JournalMark: Hashable, Sendable {
    /// Who set the mark: a number that no other owner has. An owner's newer mark replaces its older one.
    package let owner: Int
    /// Which of the owner's pieces of work it is.
    package let number: Int

    /// Makes a mark.
    package init(owner: Int, number: Int) {
        self.owner = owner
        self.number = number
    }
}
