// Importing this module alone brings Foundation too, so that a whole target can be served by one file that says
// `@_exported import ScopedAccess`.
@_exported public import Foundation
