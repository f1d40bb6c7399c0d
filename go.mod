module github.com/mercer-ml/mercer

go 1.26.0

require gonum.org/v1/gonum v0.17.0

require golang.org/x/sys v0.49.0

require (
	github.com/ebitengine/purego v0.11.2
	github.com/klauspost/compress v1.20.3
	github.com/rogpeppe/go-internal v1.16.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	golang.org/x/term v0.47.0
)

require (
	codeberg.org/go-fonts/liberation v0.5.0
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	golang.org/x/image v0.30.0
	golang.org/x/text v0.42.0 // indirect
	golang.org/x/tools v0.49.0 // indirect
	pgregory.net/rapid v1.3.0
)
