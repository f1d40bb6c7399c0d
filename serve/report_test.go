package serve_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/serve"
)

// A report is shown beside its model, in a sandbox; one of another model, one that is too far away
// and none at all are told of.
func TestReportBesideAModel(t *testing.T) {
	folder, outside := t.TempDir(), t.TempDir()
	page := func(digest string) string {
		return `<!doctype html><meta name="mercer-model" content="` + digest +
			`"><title>iris: mercer report</title><main><p>the page</p><p>/home/jane/iris.csv: 150 rows, 3 km/h, a / b</p><pre>mercer fit /home/jane/iris.csv --test=C:\Users\jane\t.csv -o out/m.mercer</pre><pre>model.Load(&#34;/home/jane/m.mercer&#34;)</pre></main><script>a.match(/x/g)</script>`
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	digestOf := map[string]string{}
	for _, name := range []string{"own", "other", "none", "linked", "plain"} {
		file := filepath.Join(folder, name+".mercer")
		if err := irisModel().Save(file); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b)
		digestOf[name] = hex.EncodeToString(sum[:])
	}
	write(filepath.Join(folder, "own.report.html"), page(digestOf["own"]))
	write(filepath.Join(folder, "other.report.html"), page(strings.Repeat("0", 64)))
	write(filepath.Join(folder, "plain.report.html"), "<p>a page of somebody else")
	write(filepath.Join(outside, "secret.html"), page(digestOf["linked"]))
	if err := os.Symlink(filepath.Join(outside, "secret.html"), filepath.Join(folder, "linked.report.html")); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := serve.New(serve.Options{})
	if err := s.Watch(ctx, time.Hour, folder); err != nil {
		t.Fatal(err)
	}
	if err := s.Add("given", irisModel()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"own": 200, "other": 404, "none": 404, "linked": 404, "plain": 404,
		"given": 404, "unknown": 404} {
		r := ask(t, s, "GET", "/models/"+name+"/report", "", nil)
		if want == 200 {
			for _, says := range []string{"<p>iris.csv: 150 rows, 3 km/h, a / b</p>",
				"<pre>mercer fit iris.csv --test=t.csv -o out/m.mercer</pre>", "model.Load(&#34;m.mercer&#34;)", "a.match(/x/g)"} {
				if !strings.Contains(r.text(), says) {
					t.Errorf("%q is not in %s", says, r.text())
				}
			}
		}
		if r.status != want || (want == 200) != strings.Contains(r.text(), "the page") {
			t.Errorf("%s: %d %s", name, r.status, r.text())
		}
		if want == 200 && !strings.Contains(r.header.Get("Content-Security-Policy"), "sandbox allow-scripts") {
			t.Errorf("%v", r.header)
		}
	}
	if r := ask(t, s, "GET", "/models/own/versions/1/report", "", nil); r.status != 200 {
		t.Errorf("a version: %d", r.status)
	}
	text := ask(t, s, "GET", "/", "", nil).text()
	if strings.Count(text, "/report\"") != 1 || !strings.Contains(text, `href="models/own/report"`) {
		t.Error("the list of models does not link the one report")
	}
}
