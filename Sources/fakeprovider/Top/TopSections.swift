import ProviderControl

// From what the provider says to the rows of the screen.

extension TopModel {
  /// In the order of the screen; one without rows is left out.
  var sections: [TopSection] {
    guard let overview = snapshot?.overview else { return [] }
    let all = [items(overview), waiting(overview), scopes(overview), claims(overview), rules(overview)]
    return all.filter { !$0.rows.isEmpty }
  }

  private func items(_ overview: OverviewLine) -> TopSection {
    TopSection(
      title: "ITEMS",
      columns: [
        TopColumn(title: "SIZE", width: 7, isRight: true), TopColumn(title: "COPY", width: 11),
        TopColumn(title: "%", width: 3, isRight: true), TopColumn(title: "RATE", width: 9, isRight: true),
        TopColumn(title: "PHASE", width: 9), TopColumn(title: "OPEN", width: 4, isRight: true),
      ],
      rows: overview.items.map { item in
        let isFolder = item.kind == "directory"
        return TopRow(
          id: .item(item.path),
          cells: [
            name(item.path) + (isFolder ? "/" : ""), isFolder ? "" : Render.size(item.size),
            isFolder ? "folder" : item.copy,
            item.arrived.map { "\(Render.percent($0, of: item.size))" } ?? "",
            item.bytesPerSecond.map { Render.size($0) + "/s" } ?? "", item.phase ?? "",
            item.open > 0 ? "\(item.open)" : "",
          ], path: item.path, isFolder: isFolder)
      }, total: overview.counts.items)
  }

  /// A hold with nobody at it, and then everybody who waits: the longest first.
  private func waiting(_ overview: OverviewLine) -> TopSection {
    let idle = overview.holds.filter { $0.parked == 0 }.map { hold in
      TopRow(
        id: .hold(hold.name),
        cells: [name(hold.path), hold.name, hold.operation, "nobody yet", hold.at.map { "at \($0)" } ?? ""],
        path: hold.path, hold: hold.name)
    }
    let waiters = overview.waiting.map { waiter in
      TopRow(
        id: .waiter(waiter),
        cells: [
          name(waiter.path), waiter.hold ?? "(\(waiter.reason))", waiter.operation,
          who(waiter.app, waiter.process), since(waiter.sinceNanoseconds, overview),
        ], path: waiter.path, hold: waiter.hold)
    }
    return TopSection(
      title: "WAITING",
      columns: [
        TopColumn(title: "HOLD", width: 12), TopColumn(title: "OPERATION", width: 10),
        TopColumn(title: "WHO", width: 20), TopColumn(title: "FOR", width: 9, isRight: true),
      ], rows: idle + waiters, total: overview.counts.waiting + idle.count)
  }

  private func scopes(_ overview: OverviewLine) -> TopSection {
    TopSection(
      title: "SCOPES",
      columns: [
        TopColumn(title: "APP", width: 24), TopColumn(title: "PROCESS", width: 7, isRight: true),
        TopColumn(title: "STARTS", width: 6, isRight: true), TopColumn(title: "COVERS", width: 11),
      ],
      rows: overview.scopes.map { scope in
        TopRow(
          id: .scope(process: scope.process, scope.path),
          cells: [
            name(scope.path), Render.app(scope.app), "\(scope.process)", "\(scope.count)", scope.covers,
          ], path: scope.path)
      }, total: overview.counts.scopes)
  }

  private func claims(_ overview: OverviewLine) -> TopSection {
    TopSection(
      title: "CLAIMS",
      columns: [
        TopColumn(title: "KIND", width: 5), TopColumn(title: "PHASE", width: 13),
        TopColumn(title: "WHO", width: 24), TopColumn(title: "FOR", width: 9, isRight: true),
      ],
      rows: overview.claims.map { claim in
        let first = claim.intents.first
        let more = claim.intents.count > 1 ? " +\(claim.intents.count - 1)" : ""
        return TopRow(
          id: .claim(claim.id),
          cells: [
            (first.map { name($0.path) } ?? "") + more, first?.kind ?? "", claim.phase,
            who(claim.app, claim.process), since(claim.sinceNanoseconds, overview),
          ], path: first?.path)
      }, total: overview.counts.claims)
  }

  private func rules(_ overview: OverviewLine) -> TopSection {
    TopSection(
      title: "RULES",
      columns: [TopColumn(title: "ON", width: 24), TopColumn(title: "HITS", width: 8, isRight: true)],
      rows: overview.rules.map { rule in
        TopRow(
          id: .rule(rule.name),
          cells: [rule.name, rule.operations.joined(separator: ","), "\(rule.hits)"])
      }, total: overview.counts.rules)
  }

  // MARK: Cells

  private func name(_ path: WirePath) -> String { path.text }

  private func who(_ app: String?, _ process: Int32?) -> String {
    [app.map(Render.app), process.map { "\($0)" }].compactMap { $0 }.joined(separator: " ")
  }

  private func since(_ moment: Int64?, _ overview: OverviewLine) -> String {
    moment.map { Render.seconds(overview.nowNanoseconds &- $0) } ?? ""
  }
}
