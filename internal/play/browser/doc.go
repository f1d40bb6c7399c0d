// Package browser tests the playground in a real browser. It is a module of its own, so that nobody
// who builds mercer compiles the client of Chromium's protocol; see docs/design/dependencies.md.
//
// Chromium is taken from MERCER_CHROMIUM, or found by its usual names; without it the tests say
// loudly that nothing was tested. Screenshots are written to the folder MERCER_SHOTS, if it is set.
package browser
