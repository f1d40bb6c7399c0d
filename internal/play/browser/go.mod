module github.com/mercer-ml/mercer/internal/play/browser

go 1.26.0

replace github.com/mercer-ml/mercer => ../../..

require (
	github.com/chromedp/cdproto v0.157.8
	github.com/chromedp/chromedp v0.21.0
	github.com/mercer-ml/mercer v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/ebitengine/purego v0.11.2 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
