import ProviderModel
import Testing

@testable import ProviderProfiles

// What a profile's file says of downloads.

@Suite struct `A profile's downloads` {
  private func download(_ members: String) throws -> Profile.Download {
    try ProfileReader.read(Array(profile("\"download\": { \(members) }").utf8), file: "p").download
  }

  private func problem(_ members: String) -> String? {
    let said = problems(profile("\"download\": { \(members) }"))
    #expect(said.count == 1, "\(said)")
    return said.first.map { String($0.drop { $0 != " " }.dropFirst()) }
  }

  @Test func `have rates, stalls and a slow start`() throws {
    let read = try download(
      """
      "itemBandwidth": "1.5MB/s", "slowStart": { "for": "5s", "bandwidth": "64KiB/s" },
      "stalls": [
        { "at": "40%", "for": "never", "path": "**/*.pdf" }, { "at": "64KiB", "for": "2m", "bandwidth": "1kB/s" }
      ]
      """)
    #expect(read.itemBandwidth == 1_500_000)
    #expect(read.slowStart == .init(bandwidth: 65_536, length: .seconds(5)))
    #expect(
      read.stalls == [
        .init(at: .millionths(400_000), length: nil, path: Glob("**/*.pdf")),
        .init(at: .bytes(65_536), length: .seconds(120), bandwidth: 1_000),
      ])
  }

  @Test func `have ways to begin, to arrive, and to be tried again`() throws {
    let read = try download(
      #""trigger": "open", "partial": true, "timeout": "never", "retryInterval": "250ms""#)
    #expect(read.trigger == .open && read.partial && read.timeout == nil)
    #expect(read.retryInterval == .milliseconds(250))
    #expect(try download(#""timeout": "10s""#).timeout == .seconds(10))
    let standard = Profile.Download()
    #expect(standard.timeout == .seconds(60) && standard.trigger == .read && !standard.partial)
  }

  @Test(arguments: [
    (#""timeout": "0""#, "download.timeout: must be at least 1ns, or \"never\", not 0"),
    (
      #""timeout": 5"#,
      "download.timeout: must be a duration such as \"800ms\" (ns, us, ms, s, m or h), or \"never\", not a number"
    ),
    (#""timeout": "25h""#, "download.timeout: must be at most 24h, or \"never\", not 25h"),
    (
      #""itemBandwidth": "fast""#,
      "download.itemBandwidth: must be a rate such as \"2MB/s\", \"500kB/s\" or \"1MiB/s\", or \"unlimited\", not \"fast\""
    ),
    (
      #""slowStart": { "for": "5s" }"#,
      "download.slowStart.bandwidth: is missing; every \"download.slowStart\" has it"
    ),
    (
      #""slowStart": { "bandwidth": "1B/s" }"#,
      "download.slowStart.for: is missing; every \"download.slowStart\" has it"
    ),
    (
      #""slowStart": { "bandwidth": "unlimited", "for": "5s" }"#,
      "download.slowStart.bandwidth: must be a rate such as \"2MB/s\", \"500kB/s\" or \"1MiB/s\", not \"unlimited\""
    ),
    (#""stalls": [{ "at": "40%" }]"#, "download.stalls[0].for: is missing; every stall has it"),
    (#""stalls": [{ "for": "1s" }]"#, "download.stalls[0].at: is missing; every stall has it"),
    (
      #""stalls": [{ "at": "101%", "for": "1s" }]"#,
      "download.stalls[0].at: must be a share of the file such as \"40%\", or a byte such as \"65536\" or \"64KiB\", not \"101%\""
    ),
    (
      #""stalls": [{ "at": "0", "for": "0" }]"#,
      "download.stalls[0].for: must be at least 1ns, or \"never\", not 0"
    ),
    (#""stall": []"#, "download.stall: is not a key; nearest key \"download.stalls\""),
    (#""partial": "yes""#, "download.partial: must be true or false, not a text"),
    (
      #""trigger": "opne""#,
      "download.trigger: must be one of \"read\", \"open\", not \"opne\"; nearest value \"open\""
    ),
  ])
  func `that are wrong say where and how`(members: String, expected: String) {
    #expect(problem(members) == expected)
  }

  @Test func `that start slowly but no slower are remarked on`() throws {
    let said = try remarks(
      profile(
        #""download": { "bandwidth": "1MB/s", "slowStart": { "bandwidth": "2MB/s", "for": "5s" } }"#))
    #expect(said.count == 1)
    #expect(
      said.first?.hasSuffix(
        "download.slowStart.bandwidth: warning: a slow start of 2MB/s is no slower than download.bandwidth, 1MB/s"
      )
        == true, "\(said)")
  }
}

@Suite struct `A profile's conditions` {
  @Test func `name what plain callers get for the provider's errors`() throws {
    let read = try ProfileReader.read(
      Array(profile(#""errors": { "notAuthenticated": "EACCES", "serverUnreachable": "EIO" }"#).utf8),
      file: "p")
    #expect(read.errors == [.notAuthenticated: .EACCES, .serverUnreachable: .EIO])
    #expect(try ProfileReader.read(Array(profile(#""seed": 1"#).utf8), file: "p").errors == [:])
  }

  @Test(arguments: [
    (
      #""errors": { "notAuthentic": "EACCES" }"#,
      "errors.notAuthentic: is not a key; nearest key \"errors.notAuthenticated\""
    ),
    (#""errors": { "notAuthenticated": 13 }"#, "errors.notAuthenticated: must be one of "),
    (#""errors": []"#, "errors: must be an object, not an array"),
    (
      #""conditions": { "throttledBandwidth": "unlimited" }"#,
      "conditions.throttledBandwidth: must be a rate "
    ),
    (#""process": { "forbid": "cat" }"#, "process.forbid: must be an array in brackets, not a text"),
  ])
  func `that are wrong say where and how`(member: String, expected: String) {
    let said = problems(profile(member))
    #expect(said.count == 1)
    #expect(said.first?.drop { $0 != " " }.dropFirst().hasPrefix(expected) == true, "\(said)")
  }
}
