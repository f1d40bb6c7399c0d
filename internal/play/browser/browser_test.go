package browser

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/mercer-ml/mercer/internal/play"
	"github.com/mercer-ml/mercer/internal/play/web"
)

// looks is how often a page is looked at until it has what a test waits for: many, since a machine
// may have much else to do, and counted, since what a clock says of such a machine is nothing about
// the page.
const looks = 4000

// chromium is the browser, or the test is left out, loudly.
func chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{os.Getenv("MERCER_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("SKIPPED: no Chromium on this machine; the playground is NOT tested in a browser (install Debian's chromium, " +
		"or set MERCER_CHROMIUM)")
	return ""
}

// serve starts a playground and returns the link and the end of it.
func serve(t testing.TB) (link string, s *web.Server, at net.Listener, server *http.Server) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err = web.New(&play.Player{}, l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	server = &http.Server{Handler: edited(s)}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return "http://" + l.Addr().String() + "/?token=" + s.NewToken(), s, l, server
}

// edited is a playground whose page comes from the folder MERCER_PAGE, where somebody who works on
// the page names one: nothing is then built again for a line of it.
func edited(s http.Handler) http.Handler {
	folder := os.Getenv("MERCER_PAGE")
	if folder == "" {
		return s
	}
	files := http.FileServer(http.Dir(folder))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.RawQuery == "" {
			w.Header().Set("Cache-Control", "no-store")
			files.ServeHTTP(w, r)
			return
		}
		s.ServeHTTP(w, r)
	})
}

// tab is a page of the browser with all that it complained about.
type tab struct {
	testing.TB
	ctx  context.Context
	root string // origin of the page

	mu       sync.Mutex
	problems []string
	expected []string // parts of complaints that the test asked for
}

// started is the one browser that all tests share, and its end: to start one takes longer than many
// of them.
var started struct {
	sync.Once
	ctx context.Context
	end func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	if started.end != nil {
		started.end()
	}
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	os.Exit(code)
}

// newTab opens a page with cookies and storage of its own.
func newTab(t testing.TB, link string) *tab {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	path := chromium(t)
	started.Do(func() {
		alloc, endAlloc := chromedp.NewExecAllocator(context.Background(),
			append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)...)
		ctx, end := chromedp.NewContext(alloc)
		started.ctx, started.end = ctx, func() { end(); endAlloc() }
		if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
			t.Fatal(err)
		}
	})
	ctx, end := chromedp.NewContext(started.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	p := &tab{TB: t, ctx: ctx, root: u.Scheme + "://" + u.Host}
	p.do(chromedp.Navigate("about:blank"))
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	said, sent := chromedp.Console(ctx), chromedp.Events(ctx, network.RequestWillBeSent)
	go func() {
		for m, err := range said {
			if err != nil {
				return
			}
			if m.Type == "error" || m.Type == "warning" || m.Type == "assert" || m.Type == chromedp.ConsoleException {
				p.note(fmt.Sprintf("%s: %s %s", m.Type, m.Text, m.URL))
			}
		}
	}()
	go func() {
		for e, err := range sent {
			if err != nil {
				return
			}
			if u := e.Request.URL; !strings.HasPrefix(u, p.root+"/") && !strings.HasPrefix(u, "data:") &&
				!strings.HasPrefix(u, "blob:") && u != "about:blank" {
				p.note("a request to " + u)
			}
		}
	}()
	p.do(chromedp.Navigate(link))
	return p
}

// note keeps what no page should do: complain, or ask anybody else for anything.
func (p *tab) note(problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, problem)
}

// clean fails where the page complained of something that was not expected.
func (p *tab) clean() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
next:
	for _, problem := range p.problems {
		for _, e := range p.expected {
			if strings.Contains(problem, e) {
				continue next
			}
		}
		p.Errorf("the page: %s", problem)
	}
	p.problems = nil
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// eval runs a script and reads what it returns.
func eval[T any](p *tab, script string) T {
	p.Helper()
	out, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		p.Fatalf("%v, of %.200s", err, script)
	}
	return out
}

// wait runs a script until it is true. A page that is left while it is asked has not answered yet.
func (p *tab) wait(what, script string) {
	p.Helper()
	for range looks {
		holds, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean("+script+")"))
		if err != nil && !strings.Contains(err.Error(), "navigated or closed") &&
			!strings.Contains(err.Error(), "context was destroyed") {
			p.Fatalf("%v, of %.200s", err, script)
		}
		if err == nil && holds {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.Fatalf("waited in vain for %s; the page says %s", what, eval[string](p, `document.body.innerText.slice(0, 600)`))
}

// visit goes to a page that is no scene.
func (p *tab) visit(link string) {
	p.Helper()
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
}

// open goes to a scene and waits for its first answer.
func (p *tab) open(hash string) {
	p.Helper()
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.root+"/#/"+hash))
	p.settled(0)
}

// settings opens a scene with settings, as a link does.
func (p *tab) settings(scene string, settings any) {
	p.Helper()
	raw, err := json.Marshal(settings)
	if err != nil {
		p.Fatal(err)
	}
	p.open(scene + "/" + base64.RawURLEncoding.EncodeToString(raw))
}

// settled waits until more answers than so many have ended, and returns how many have.
func (p *tab) settled(after int) int {
	p.Helper()
	p.wait("an answer", fmt.Sprintf(`Number(document.querySelector('.scene')?.dataset.settled ?? 0) > %d`, after))
	return p.answers()
}

func (p *tab) answers() int {
	return eval[int](p, `Number(document.querySelector('.scene')?.dataset.settled ?? 0)`)
}

// reading is a number beside the picture, with all its digits.
func (p *tab) reading(name string) float64 {
	p.Helper()
	text := eval[string](p, fmt.Sprintf(`document.querySelector('[data-reading="%s"]')?.dataset.value ?? 'none'`, name))
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.Fatalf("reading %q is %q; there are %s", name, text,
			eval[string](p, `[...document.querySelectorAll('[data-reading]')].map((e) => e.dataset.reading).join(' ')`))
	}
	return v
}

// faults are the messages at settings.
func (p *tab) faults() []string {
	return eval[[]string](p, `[...document.querySelectorAll('.fault')].map((e) => e.textContent)`)
}

// drag moves the mouse with its button held, in shares of an element's width and height.
func (p *tab) drag(selector string, x0, y0, x1, y1 float64) {
	p.Helper()
	box := eval[[4]float64](p,
		fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({ block: 'center' }); const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()`,
			selector))
	at := func(u, v float64) (float64, float64) { return box[0] + u*box[2], box[1] + v*box[3] }
	mouse := func(kind input.DispatchMouseEventType, u, v float64) chromedp.Action[chromedp.Void] {
		x, y := at(u, v)
		return chromedp.MouseEvent(kind, x, y, chromedp.ButtonLeft,
			func(p *input.DispatchMouseEventParams) { p.Buttons, p.ClickCount = 1, 1 })
	}
	actions := []chromedp.Action[chromedp.Void]{mouse(chromedp.MousePressed, x0, y0)}
	for i := 1; i <= 5; i++ {
		t := float64(i) / 5
		actions = append(actions, mouse(chromedp.MouseMoved, x0+t*(x1-x0), y0+t*(y1-y0)))
	}
	p.do(append(actions, mouse(chromedp.MouseReleased, x1, y1))...)
}

// slide moves the slider with a label, to a share of its length.
func (p *tab) slide(label string, share float64) {
	p.Helper()
	// A scene of two kernels has two answers, and its sliders come with them.
	p.wait("the slider "+label,
		fmt.Sprintf(`[...document.querySelectorAll('.slider label')].some((e) => e.textContent === %q && e.offsetParent)`,
			label))
	if !eval[bool](p, fmt.Sprintf(`(() => {
		const l = [...document.querySelectorAll('.slider label')].find((e) => e.textContent === %q && e.offsetParent);
		if (!l) return false;
		const r = document.getElementById(l.htmlFor);
		r.value = String(Math.round(%g * Number(r.max)));
		r.dispatchEvent(new Event('input', { bubbles: true }));
		return true;
	})()`, label, share)) {
		p.Fatalf("no slider %q", label)
	}
}

// look sets the size of the screen and the theme.
func (p *tab) look(width int, dark bool) {
	p.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	height := 900
	if width < 500 {
		height = 844
	}
	p.do(chromedp.EmulateViewport(int64(width), int64(height)))
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
			Value: scheme}}}); err != nil {
		p.Fatal(err)
	}
}

// print shows the page as paper has it.
func (p *tab) print() {
	p.Helper()
	p.do(chromedp.EmulateViewport(794, 1123)) // A4 at 96 dots per inch
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		p.Fatal(err)
	}
}

// shot keeps a picture of the whole page, where somebody asked for it.
func (p *tab) shot(name string) {
	p.Helper()
	if os.Getenv("MERCER_SHOTS") == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.Fatal(err)
	}
	p.keep(name+".png", png)
}

// keep writes a file to the folder of pictures, where somebody asked for them.
func (p *tab) keep(name string, data []byte) {
	p.Helper()
	folder := os.Getenv("MERCER_SHOTS")
	if folder == "" {
		return
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
		p.Fatal(err)
	}
}
