@testable import ProviderModel

// What the shells were asked for and come back with, now or when a test wants it.

extension ModelHarness {
  func answerListings(failing error: ErrnoName? = nil) {
    while !listings.isEmpty {
      let (slot, path) = listings.removeFirst()
      tell(.completed(.listed(slot, error.map { .failure($0) } ?? source.list(path))))
    }
  }

  func answerOpenings() {
    while !openings.isEmpty {
      let (handle, content) = openings.removeFirst()
      switch content {
      case .source(let path):
        tell(.completed(.opened(handle, source.open(path).map(OpenedContent.source))))
      case .blob: tell(.completed(.opened(handle, .success(.blob))))
      }
    }
  }

  func makeBlobs(failing error: ProviderError? = nil) {
    while !blobsToMake.isEmpty {
      let blob = blobsToMake.removeFirst()
      tell(
        .completed(.blobMade(blob, error.map { .failure($0) } ?? .success(MadeBlob(size: size(of: blob))))))
    }
  }

  private func size(of blob: BlobID) -> Int64 {
    let base = blobBases[blob]?.stamp.size ?? 0
    switch blobs[blob]?.bytes {
    case .text(let bytes), .file(let bytes): return base + Int64(bytes.count)
    case .synthetic(let size, _): return base + size
    case nil: return 0
    }
  }
}
