import Testing

@testable import ProviderModel

// Patterns of paths.

@Suite struct `A glob` {
  @Test(arguments: [
    ("a.pdf", "a.pdf", true), ("a.pdf", "A.pdf", false), ("a.pdf", "b/a.pdf", false),
    ("*.pdf", "a.pdf", true), ("*.pdf", ".pdf", true), ("*.pdf", "a.pdfx", false),
    ("*.pdf", "d/a.pdf", false),
    ("*", "a", true), ("*", "a/b", false), ("*/*", "a/b", true),
    ("a*b*c", "axxbxxc", true), ("a*b*c", "axxbxx", false), ("*a*a*", "banana", true),
    ("**", "a/b/c", true), ("**/*.pdf", "a.pdf", true), ("**/*.pdf", "x/y/a.pdf", true),
    ("Recent/**", "Recent/a/b", true), ("Recent/**", "Recent", true), ("Recent/**", "Old/a", false),
    ("a/**/z", "a/z", true), ("a/**/z", "a/b/c/z", true), ("a/**/z", "a/b/c", false),
    ("**/b/**/d", "a/b/c/d", true), ("**/b/**/d", "a/c/d", false),
    ("?", "x", true), ("?", "é", true), ("?", "😀", true), ("??", "é", false), ("?", "xy", false),
    ("[abc].txt", "b.txt", true), ("[abc].txt", "d.txt", false), ("[a-c]", "b", true), ("[a-c]", "d", false),
    ("[!a-c]", "d", true), ("[!a-c]", "b", false), ("[^a]", "b", true), ("[]]", "]", true),
    ("[a-]", "-", true),
    ("[é-ü]", "ö", true), ("[é-ü]", "z", false), ("[!é]", "ö", true),
    ("a//b", "a/b", true), ("a/b/", "a/b", true),
    // Bytes, not characters: a composed é is not a decomposed one.
    ("\u{E9}", "e\u{301}", false),
  ])
  func `matches whole paths by its marks`(_ pattern: String, _ path: String, _ expected: Bool) throws {
    let glob = try #require(Glob(pattern))
    let item = try #require(ItemPath(path))
    #expect(glob.matches(item) == expected)
  }

  @Test(arguments: ["", "/", "/a", "[", "a/[b", "[]", "[!]", "[a-", "x[a/b]"])
  func `is refused when it could match nothing as meant`(_ pattern: String) {
    #expect(Glob(pattern) == nil)
  }

  @Test func `matches names that are not UTF-8 byte by byte`() throws {
    let path = ItemPath([try #require(Name([0x61, 0xFF, 0xFE]))])
    for (pattern, expected) in [("a??", true), ("a*", true), ("a?", false)] {
      let glob = try #require(Glob(pattern))
      #expect(glob.matches(path) == expected)
    }
  }

  @Test func `takes no exponential time over many stars`() throws {
    let name = String(repeating: "a", count: 255)
    let stars = try #require(Glob(String(repeating: "*a", count: 100) + "b"))
    let item = try #require(ItemPath(name))
    #expect(!stars.matches(item))
    let deep = try #require(ItemPath(Array(repeating: "a", count: 200).joined(separator: "/")))
    let folders = try #require(Glob(String(repeating: "**/a/", count: 50) + "b"))
    #expect(!folders.matches(deep))
  }
}
