// What the model wants done. The shells do it after they have left the lock.

package enum Effect: Hashable, Sendable {
  /// Answers a kernel request; there is exactly one of these for each.
  case reply(RequestID, Reply)
  /// Reads a directory, by its path in the source; comes back as ``Completion/listed``.
  case list(Slot, ItemPath)
  /// Opens a content for a handle, in place of what it has if it has any; comes back as ``Completion/opened``.
  case open(HandleID, ContentReference)
  /// The handle's file is no longer needed.
  case close(HandleID)
  /// The kernel's attributes of this node are out of date.
  case invalidate(NodeID)
  /// So are its pages; comes back as ``Completion/pagesDropped``.
  case dropPages(Slot, NodeID)
  /// Keeps new bytes, after those of `base` when they are to be appended; comes back as ``Completion/blobMade``.
  case makeBlob(BlobID, NewContent, base: Content?)
  /// Nobody means these bytes any more.
  case dropBlob(BlobID)
  /// Copies a content into a new file in this folder of the machine's, under this name or one made from it; comes
  /// back as ``Completion/copied``.
  case copyOut(CopyID, Content, name: Name, folder: [UInt8])
  /// Takes a copy away, if it is still there.
  case removeCopy(MadeCopy)
  /// Makes a remote change through the mount, so that whoever watches sees it; comes back as
  /// ``Completion/mirrored``.
  case mirror(RemoteID, MountAction)
  /// Answers a client's request.
  case answer(SessionID, number: Int, Answer)
  case event(Event)
  /// Ends a process, as the system does when a user revokes access in Settings.
  case kill(ProcessID)
  /// Stops a process and what it has started, as the system does with an app in the background.
  case suspend(ProcessID)
  case resume(ProcessID)
  /// Wants ``Input/limitReached`` after this much real time.
  case limit(SessionID, number: Int, milliseconds: Int64)
}

package enum Reply: Hashable, Sendable {
  case error(ProviderError)
  case done
  case entry(NodeID, Attributes)
  case attributes(Attributes)
  case opened(HandleID, Lane)
  /// This part of the handle's file; the shell reads it and, given a stamp, checks that the file is still the same.
  case content(HandleID, offset: Int64, length: Int64, SourceStamp?, Alteration?)
  case directory([DirectoryRow], plus: Bool)
  case bytes([UInt8])
  case length(Int)
  case linkTarget(ContentReference)
  /// Of what is at this path of the source.
  case sourceAttribute(ItemPath, name: [UInt8], capacity: Int)
  /// Its names, and `also` these; without a path these alone.
  case sourceAttributeList(ItemPath?, also: [[UInt8]], capacity: Int)
  case statistics
}

extension Reply {
  /// Whether the shell has to ask the source, so that only it knows how the request ends.
  package var needsSource: Bool {
    switch self {
    case .content, .linkTarget, .sourceAttribute, .sourceAttributeList, .statistics: true
    case .error, .done, .entry, .attributes, .opened, .directory, .bytes, .length: false
    }
  }
}

/// How the kernel treats an open file's reads; fixed while it is open.
package enum Lane: Hashable, Sendable {
  /// Every read comes to us.
  case direct
  /// The kernel keeps pages and reads ahead.
  case pageCache
}

/// One line of a directory's listing.
package struct DirectoryRow: Hashable, Sendable {
  package var name: [UInt8]
  /// nil for "." and "..", which take no lookup.
  package var node: NodeID?
  package var attributes: Attributes
  /// Where a listing goes on after this row.
  package var next: Int64
}

package enum Completion: Hashable, Sendable {
  case listed(Slot, Result<[ListedItem], ErrnoName>)
  case opened(HandleID, Result<OpenedContent, ErrnoName>)
  /// A read found that the handle's file is no longer the one it opened.
  case changed(HandleID)
  case pagesDropped(Slot)
  /// The shell has made a reply that needed the source, and is about to send it; with the error, if it could not.
  case answered(RequestID, ErrnoName?)
  case blobMade(BlobID, Result<MadeBlob, ProviderError>)
  case copied(CopyID, Result<MadeCopy, ProviderError>)
  /// The change was made through the mount, or could not be.
  case mirrored(RemoteID, ErrnoName?)
}

package enum OpenedContent: Hashable, Sendable {
  /// What the source has there now.
  case source(SourceItem)
  case blob
}

package struct MadeBlob: Hashable, Sendable {
  package var size: Int64
  package init(size: Int64) { self.size = size }
}

/// What is done in the mount to show a remote change. Paths are those of before it.
package enum MountAction: Hashable, Sendable {
  /// A file's content is another.
  case write(ItemPath)
  case create(ItemPath)
  case makeDirectory(ItemPath)
  case move(ItemPath, to: ItemPath)
  /// With all that is in it.
  case delete(ItemPath)
}

package struct ListedItem: Hashable, Sendable {
  package var name: Name
  package var item: SourceItem
  package init(name: Name, item: SourceItem) {
    self.name = name
    self.item = item
  }
}

/// Everything that the model can be told.
package enum Input: Sendable {
  /// The provider is there: the first input of one that keeps a journal.
  case begin(version: String)
  case request(KernelRequest)
  case notice(KernelNotice)
  case control(ControlRequest)
  case sessionOpened(SessionID, ProcessID, AppID)
  /// The session speaks for this app from now on.
  case sessionNamed(SessionID, AppID)
  case sessionClosed(SessionID)
  case processEnded(ProcessID)
  case limitReached(SessionID, number: Int)
  case completed(Completion)
  /// The provider is about to end: everyone gets an answer now.
  case stop
  /// Nobody is left to tell anything: the journal ends here.
  case end
  /// Time has passed.
  case tick
}
