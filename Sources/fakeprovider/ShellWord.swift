extension Argument {
  /// As a shell takes it for one word.
  var shellWord: String {
    let plain = text.unicodeScalars.allSatisfy { scalar in
      !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        || "+,-./:@_".unicodeScalars.contains(scalar)
    }
    if plain, !text.isEmpty { return text }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }
}
