// Package gallery holds what the pictures of the gallery state: its tests. The programs that draw
// them are the folders beside it.
package gallery
