package browser

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// axeSource is axe-core, the checker of accessibility that others go by, from where .ci/run fetches
// it; nothing where it is not.
var axeSource = sync.OnceValue(func() string {
	file := os.Getenv("MERCER_AXE")
	if file == "" {
		file = filepath.Join("..", "..", "..", ".ci", "node", "node_modules", "axe-core", "axe.min.js")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
})

var toldOfAxe sync.Once

// accessible fails for what the page has that some cannot use: by our own checks, and by axe.
func (p *tab) accessible(name string) {
	p.Helper()
	for _, fault := range eval[[]string](p, accessibility) {
		p.Errorf("%s: %s", name, fault)
	}
	source := axeSource()
	if source == "" {
		toldOfAxe.Do(func() {
			p.Log("SKIPPED: axe-core is not on this machine, and pages are NOT checked by it, but by our own checks alone; " +
				"fetch it: npm install --no-save --prefix .ci/node axe-core")
		})
		return
	}
	if !eval[bool](p, `typeof axe !== 'undefined'`) {
		eval[bool](p, source+"\n;true")
	}
	// What is a picture of its own (a report's SVG, a canvas) has its name; its inside is no text.
	eval[bool](p, `(() => {
		window.axed = null;
		axe.run(document, {resultTypes: ['violations'], rules: {'color-contrast': {enabled: true}}}).then(
			(r) => { window.axed = r.violations.map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.target.join(' ') + ' ' + n.html.slice(0, 90)).join(' | ')); },
			(e) => { window.axed = ['axe: ' + e]; });
		return true;
	})()`)
	p.wait("axe", `window.axed`)
	for _, fault := range eval[[]string](p, `window.axed`) {
		p.Errorf("%s: %s", name, strings.ReplaceAll(fault, "\n", " "))
	}
}
