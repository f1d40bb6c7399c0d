// The documentation as a static site: a module of its own, so that mercer does not need a reader of Markdown.
module github.com/mercer-ml/mercer/docs/site

go 1.26.0

require github.com/yuin/goldmark v1.8.7
