// Package page holds the files of the playground's page: plain ES modules and a style sheet, served
// as they are.
package page

import "embed"

// Files is the page. It has no folders but scenes, and needs nothing else.
//
//go:embed *.html *.css *.js *.svg scenes/*.js
var Files embed.FS
