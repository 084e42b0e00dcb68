import Foundation

// CoordinationHelper: an app that a test steers. Each line of standard input is a command, its words separated
// by tabs; each line of output says what happened. What may wait runs on a thread of its own, so that the
// next command is heard, and goes on when it is told `go KEY`. The end of the input is the end of the app.

let app = App()
while let line = readLine() {
  let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
  if !app.run(words) { say("?", line) }
}
