package serve

import (
	"bytes"
	"encoding/hex"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/lazy"
)

// reportOf marks in a report the file of the model that it is about, by its SHA-256.
const reportOf = `<meta name="mercer-model" content="`

// mostReport is the size of a report that is served.
const mostReport = 64 << 20

// report is the page that `mercer fit` wrote beside the model: NAME.report.html of NAME.mercer. One
// that is of another model, as after a fit without a report, is not shown.
func (s *Server) report(w http.ResponseWriter, r *http.Request) error {
	v, err := s.find(r.PathValue("name"), r.PathValue("version"))
	if err != nil {
		return err
	}
	page, ok := v.reportPage()
	if !ok {
		return refusedAs(http.StatusNotFound,
			"there is no report of this model: `mercer fit` writes NAME.report.html beside NAME.mercer, and it has to be of "+
				"the same fit")
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	// The page comes from a folder: it gets no origin, and asks nobody anything.
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'unsafe-inline'; sandbox allow-scripts; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(namesAlone(page))
	return nil
}

// pathsOfPage are folders as HTML has them, behind what may stand before a word.
var pathsOfPage = lazy.Regexp(`([\s>(=,]|&#34;|&#39;|&quot;)(?:/(?:[^\s<>"'&/]+/)+|[A-Za-z]:\\(?:[^\s<>"'&\\]+\\)+)`)

// namesAlone is a report with the files in its main part called by their names alone: where
// somebody has fitted the model is nothing to those who ask the server.
func namesAlone(page []byte) []byte {
	from, to := bytes.Index(page, []byte("<main>")), bytes.LastIndex(page, []byte("</main>"))
	if from < 0 || to < from {
		return page
	}
	return slices.Concat(page[:from], pathsOfPage().ReplaceAll(page[from:to], []byte("$1")), page[to:])
}

// reportPage is the report of the model, if it has one.
func (v *served) reportPage() ([]byte, bool) {
	f := v.from
	if f.info == nil {
		return nil, false
	}
	beside := f
	name := &beside.where
	if f.file != "" {
		name = &beside.file
	}
	*name = strings.TrimSuffix(*name, filepath.Ext(*name)) + ".report.html"
	size, err := beside.size()
	if err != nil || size > mostReport {
		return nil, false
	}
	page, err := beside.bytes()
	if err != nil {
		return nil, false
	}
	head := page[:min(len(page), 1<<14)]
	at := bytes.Index(head, []byte(reportOf))
	if at < 0 {
		return nil, false
	}
	told, _, _ := bytes.Cut(head[at+len(reportOf):], []byte(`"`))
	return page, string(told) == hex.EncodeToString(v.digest[:])
}
