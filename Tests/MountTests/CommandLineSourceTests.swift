import Foundation
import ProviderTesting
import Testing

@Suite struct `Originals` {
  /// Bytes, mode and times of everything that is served.
  private func state(_ bench: Bench) async throws -> String {
    // Times first: summing reads. Listing may touch the folders' access times, so those are looked at first, too.
    let script = #"""
      import os, sys
      names = [b"."]
      top = os.fsencode(sys.argv[1])
      for name in (b".", b"a.pdf", b"b.txt", b"in", b"in/c.txt"):
          about = os.lstat(os.path.join(top, name))
          print(name, about.st_mode, about.st_size, about.st_mtime_ns, about.st_atime_ns, about.st_ctime_ns)
      """#
    let times = try await bench.run(["python3", "-c", script, bench.source])
    #expect(times.code == 0, "\(times)")
    return times.output
  }

  /// nil: as this kernel is; 5.10 has no read-only clone, which leaves O_NOATIME.
  @Test(.enabled(if: Bench.isRoot, "only root may leave access times alone"), arguments: [nil, "5.10"])
  func `are not touched by any number of readers`(kernel: String?) async throws {
    try await withBench { bench in
      // Old access times: the next ordinary read would move them, whatever relatime says.
      let old = try await bench.bash("find source -depth -exec touch -a -d '2 weeks ago' {} +")
      try #require(old.code == 0, "\(old)")
      let before = try await state(bench)
      let mount = try await bench.run(
        [
          "fakeprovider", "mount", "--profile", "instant", "--source", bench.source, "--background",
          bench.cloud,
        ],
        environment: ["FAKEPROVIDER_KERNEL": kernel])
      try #require(mount.code == 0 && mount.errors == "", "\(mount)")
      let read = try await bench.bash(
        """
        set -e
        fakeprovider access cloud --app everything -- bash -ec '
          cat cloud/a.pdf | sha256sum; dd if=cloud/a.pdf bs=777 status=none | sha256sum
          cp -r cloud tmp/copy; sha256sum <tmp/copy/a.pdf; tail -c 5 cloud/a.pdf >/dev/null; ls -lR cloud
          grep -r sea cloud
          python3 -c "import mmap; f = open(\\"cloud/a.pdf\\", \\"rb\\"); mmap.mmap(f.fileno(), 0, prot=1)[:]"'
        fakeprovider pick cloud/a.pdf >/dev/null
        StageDocument cloud/a.pdf
        fakeprovider evict cloud/a.pdf cloud/b.txt
        fakeprovider download cloud/a.pdf cloud/b.txt
        """)
      #expect(read.code == 0, "\(read)")
      #expect(try await state(bench) == before)
      let sum = try await bench.bash("sha256sum <source/a.pdf; echo \"$(<source/in/c.txt)\"").output
      let lines = sum.split(separator: "\n").map(String.init)
      #expect(read.output.ranges(of: lines[0]).count == 3, "\(read)")
      #expect(lines.last == "sea")
      let times = try await state(bench)
      #expect(times != before, "this file system keeps no access times, so that nothing was tested")
    }
  }

  @Test(.enabled(if: Bench.isRoot, "only root can become somebody else"))
  func `of another user get one line of warning`() async throws {
    try await withBench { bench in
      let said = try await bench.bash(
        """
        chmod 711 .; chmod -R a+rX source; chmod 755 source; chmod 1777 tmp
        mkdir -m 700 run/other; chown 65534 run/other; chmod 711 run
        other() { XDG_RUNTIME_DIR=$PWD/run/other setpriv --reuid 65534 --clear-groups -- "$@"; }
        other test -x "$0" || exit 77
        other fakeprovider run --profile instant --source source -- true
        """.replacingOccurrences(of: "$0", with: Bench.build + "/fakeprovider"))
      // Built where others cannot look: nothing to be seen.
      if said.code == 77 { return }
      // Whether it can mount depends on /dev/fuse; the warning comes before.
      let warnings = said.errorLines.filter { $0.contains("belongs to another user") }
      #expect(warnings.count == 1, "\(said)")
      #expect(warnings.first?.contains("mount as that user or as root") == true)
    }
  }
}
