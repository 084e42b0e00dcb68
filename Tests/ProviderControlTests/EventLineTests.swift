import FoundationEssentials
import ProviderControl
@testable import ProviderModel
import Testing

@Suite struct `An event's line` {
  private static let full: Event = {
    var event = Event(
      .operation, path: ItemPath([Name("d"), Name("Übung \"1\"\t\u{1}\u{7F}/\\.pdf")].compactMap { $0 }))
    event.sequence = .max
    event.at = Instant(nanoseconds: -1)
    event.from = ItemPath([Name([0xFE])].compactMap { $0 })
    event.app = AppID("org.example/\u{1F600}\n\r\u{8}\u{C}\u{1F}")
    event.process = .min
    event.thread = 7
    event.operation = "read"
    event.copy = .dataless
    event.scoped = true
    event.claim = ClaimID(3)
    event.error = .released(.EIO)
    event.waited = .seconds(1)
    event.offset = 0
    event.bytes = 4_096
    event.hold = "h"
    event.rule = "r"
    event.dropped = 2
    event.detail = .started(ProviderHeader(profile: "p", seed: .max, mode: .simulator, version: "0.1"))
    return event
  }()

  /// What no event has beside a header.
  private static let change: Event = {
    var event = Event(.providerChanged)
    event.detail = .condition(.signedOut)
    return event
  }()

  private static let copy: Event = {
    var event = Event(.copyMade)
    event.detail = .file([0x2F, 0xFE])
    return event
  }()

  private static let others: [Event] = [
    change, copy,
    Event(.stopping), Event(.evicted, path: ItemPath()),
    Event(.evicted, path: ItemPath([Name([0xFF, 0x61]), Name([0xC3])].compactMap { $0 })),
  ]

  @Test(arguments: [full] + others)
  func `is what an encoder of any object makes of it`(event: Event) throws {
    let line = EventLine(event)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(
      String(decoding: line.json, as: UTF8.self) == String(decoding: try encoder.encode(line), as: UTF8.self))
    #expect(try LineCoding.message(EventLine.self, from: line.json) == line)
  }

  @Test func `has every field that an event can have`() throws {
    let missing = [Self.full, Self.change, Self.copy].map { event in
      let fields = Mirror(reflecting: EventLine(event)).children.filter { child in
        guard let value = child.value as? any OptionalValue else { return false }
        return value.isNil
      }
      return Set(fields.compactMap(\.label))
    }
    #expect(missing[0].intersection(missing[1]).intersection(missing[2]) == [])
  }
}

private protocol OptionalValue { var isNil: Bool { get } }
extension Optional: OptionalValue { fileprivate var isNil: Bool { self == nil } }
