package browser

import (
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The documentation as docs/site/build wrote it into the folder MERCER_DOCS: pages fit three sizes
// and two themes and have names and contrast, the search finds, and every link to the playground
// opens its scene without a fault.
func TestDocumentation(t *testing.T) {
	folder := os.Getenv("MERCER_DOCS")
	if folder == "" {
		t.Skip("SKIPPED: MERCER_DOCS names no folder with the documentation; it is NOT tested in a browser")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer server.Close()
	p := newTab(t, server.URL+"/index.html")
	p.expected = []string{"favicon"}
	var pages []string
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(folder, file)
		name = filepath.ToSlash(name)
		if err == nil && strings.HasSuffix(name, ".html") && !strings.HasSuffix(name, ".go.html") &&
			!strings.HasPrefix(name, "playground/") {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil || len(pages) < 60 {
		t.Fatal(len(pages), err)
	}
	scenes := map[string]bool{}
	for i, name := range pages {
		for k, at := range []struct {
			width int
			dark  bool
		}{{390, true}, {768, false}, {1440, false}} {
			if testing.Short() && (i+k)%24 != 0 {
				continue
			}
			p.look(at.width, at.dark)
			p.visit(server.URL + "/" + name)
			if over := eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s at %d is %g pixels wider than the screen", name, at.width, over)
			}
			p.accessible(fmt.Sprintf("%s at %d", name, at.width))
			if name == "docs/kernels/radial.html" || name == "docs/index.html" || name == "api/kernel/index.html" {
				p.shot(fmt.Sprintf("site-%d-%s", at.width, strings.ReplaceAll(strings.TrimSuffix(name, ".html"), "/", "-")))
			}
		}
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if _, rest, ok := strings.Cut(string(text), `class="try"><a href="`); ok {
			link, _, _ := strings.Cut(rest, `"`)
			_, hash, _ := strings.Cut(link, "#/")
			scenes[strings.ReplaceAll(hash, "&amp;", "&")] = true
		}
	}
	p.clean()
	// The search runs without a server's help, and leads to a heading.
	p.look(1440, false)
	p.visit(server.URL + "/docs/index.html")
	eval[bool](p, `document.getElementById('search').focus() ?? true`)
	for _, key := range "matern" {
		p.do(chromedp.KeyEvent(string(key)))
	}
	p.wait("something found", `document.querySelectorAll('#results a').length > 1`)
	p.shot("site-search")
	to := eval[string](p, `(() => { const a = document.querySelector('#results a'); a.click(); return a.href; })()`)
	p.wait("the page that was found", fmt.Sprintf(`location.href === %q && document.querySelector('main h1')`, to))
	if len(scenes) < 27 {
		t.Errorf("%d links to the playground", len(scenes))
	}
	p.clean()
	// The scenes, with the answers of a server: they are the same as in WebAssembly, and sooner
	// there.
	link, _, _, _ := serve(t)
	q := newTab(t, link)
	q.look(1440, false)
	for i, hash := range slices.Sorted(maps.Keys(scenes)) {
		if testing.Short() && i%4 != 0 {
			continue
		}
		q.open(hash)
		if f := q.faults(); len(f) > 0 {
			t.Errorf("%s: %v", hash, f)
		}
	}
	q.clean()
}
