package web

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/play"
)

const host = "127.0.0.1:4711"

func newServer(t *testing.T) *Server {
	t.Helper()
	s, err := New(&play.Player{}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// do sends a request with headers given as pairs.
func do(s *Server, method, target, body string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = host
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

// enter opens the link and returns the cookie.
func enter(t *testing.T, s *Server) string {
	t.Helper()
	r := do(s, "GET", "/?token="+s.NewToken(), "", "Sec-Fetch-Site", "none")
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/" {
		t.Fatalf("the link leads to %d %s", r.StatusCode, r.Header.Get("Location"))
	}
	c := r.Cookies()
	if len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteLaxMode {
		t.Fatalf("cookies %v", c)
	}
	return c[0].Name + "=" + c[0].Value
}

func TestTheLinkWorksOnce(t *testing.T) {
	s := newServer(t)
	token := s.NewToken()
	if r := do(s, "GET", "/?token="+token, ""); r.StatusCode != http.StatusSeeOther {
		t.Fatalf("first: %d", r.StatusCode)
	}
	if r := do(s, "GET", "/?token="+token, ""); r.StatusCode != http.StatusForbidden {
		t.Errorf("second, by somebody else: %d", r.StatusCode)
	}
	for _, bad := range []string{"", "x", token + "x"} {
		if r := do(s, "GET", "/?token="+bad, ""); r.StatusCode != http.StatusForbidden || len(r.Cookies()) > 0 {
			t.Errorf("token %q: %d", bad, r.StatusCode)
		}
	}
	cookie := enter(t, s)
	if r := do(s, "GET", "/?token=spent", "", "Cookie", cookie); r.StatusCode != http.StatusSeeOther {
		t.Errorf("the same browser again: %d", r.StatusCode)
	}
	first := s.NewToken()
	s.NewToken()
	if r := do(s, "GET", "/?token="+first, ""); r.StatusCode != http.StatusForbidden {
		t.Errorf("a link before the newest: %d", r.StatusCode)
	}
}

func TestNobodyElseGetsIn(t *testing.T) {
	s := newServer(t)
	cookie := enter(t, s)
	question := `{"scene":"kernel","fields":{"kernel":{"text":"linear()"}}}`
	for _, c := range []struct {
		name, method, target string
		headers              []string
		want                 int
	}{
		{"our page", "POST", "/api", []string{"Cookie", cookie, "Origin", "http://" + host, "Sec-Fetch-Site", "same-origin"},
			200},
		{"our page by another name of this machine", "POST", "/api",
			[]string{"Cookie", cookie, "Host", "localhost:4711", "Origin", "http://localhost:4711"}, 200},
		{"a link to a scene from another site", "GET", "/", []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site",
			"Sec-Fetch-Mode", "navigate"}, 200},
		{"such a link by somebody else", "GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"},
			403},
		{"without a cookie", "POST", "/api", []string{"Origin", "http://" + host}, 403},
		{"with a wrong cookie", "POST", "/api", []string{"Cookie", "mercer-play-4711=guess"}, 403},
		{"the page without a cookie", "GET", "/", nil, 403},
		{"its modules without a cookie", "GET", "/main.js", nil, 403},
		{"a page of another origin", "POST", "/api", []string{"Cookie", cookie, "Origin", "https://evil.example"}, 403},
		{"a page of another port", "POST", "/api", []string{"Cookie", cookie, "Origin", "http://127.0.0.1:4712"}, 403},
		{"a page without an origin", "POST", "/api", []string{"Cookie", cookie, "Origin", "null"}, 403},
		{"another site, says the browser", "POST", "/api", []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site"}, 403},
		{"another site reads a module", "GET", "/main.js", []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site",
			"Sec-Fetch-Mode", "no-cors"}, 403},
		{"another site frames a module", "GET", "/main.js", []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site",
			"Sec-Fetch-Mode", "navigate"}, 403},
		{"a name that points here", "POST", "/api", []string{"Cookie", cookie, "Host", "evil.example:4711", "Origin",
			"http://evil.example:4711"}, 421},
		{"a name that points here, without a port", "GET", "/", []string{"Cookie", cookie, "Host", "evil.example"}, 421},
		{"our address at another port", "GET", "/", []string{"Cookie", cookie, "Host", "127.0.0.1:80"}, 421},
		{"no name", "GET", "/", []string{"Cookie", cookie, "Host", ""}, 421},
	} {
		headers := append([]string{"Content-Type", "application/json"}, c.headers...)
		if r := do(s, c.method, c.target, question, headers...); r.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", c.name, r.StatusCode, c.want)
		}
	}
	if r := do(s, "POST", "/api", question, "Cookie", cookie, "Content-Type",
		"text/plain"); r.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("a form's type: %d", r.StatusCode)
	}
	if r := do(s, "GET", "/api", "", "Cookie", cookie); r.StatusCode == 200 {
		t.Errorf("a question by GET: %d", r.StatusCode)
	}
}

// Even a page that may not ask must learn nothing, and no answer may be read or framed elsewhere.
func TestHeaders(t *testing.T) {
	s := newServer(t)
	r := do(s, "GET", "/", "", "Cookie", enter(t, s))
	body, _ := io.ReadAll(r.Body)
	if r.StatusCode != 200 || !strings.Contains(string(body), "main.js") {
		t.Fatalf("%d %s", r.StatusCode, body)
	}
	for name, part := range map[string]string{"Content-Security-Policy": "default-src 'self'",
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
		"Content-Type": "text/html"} {
		if !strings.Contains(r.Header.Get(name), part) {
			t.Errorf("%s is %q", name, r.Header.Get(name))
		}
	}
	if r.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("others may read answers")
	}
}

func TestAnswersAreLines(t *testing.T) {
	s := newServer(t)
	cookie := enter(t, s)
	for name, c := range map[string]struct{ body, says string }{
		"kernel":    {`{"scene":"kernel","fields":{"kernel":{"text":"linear()"}}}`, ""},
		"no JSON":   {`{`, "cannot be read"},
		"too large": {`{"scene":"` + strings.Repeat("x", most) + `"}`, "8 MB"},
		"a million": {`{"scene":"classify","fields":{"kernel":{"text":"linear()"},"points":{"xy":[` +
			strings.Repeat("1,", 1999999) + `1]}}}`, "1,000,000 points"},
	} {
		r := do(s, "POST", "/api", c.body, "Cookie", cookie, "Content-Type", "application/json")
		lines := bufio.NewScanner(r.Body)
		lines.Buffer(nil, 1<<20)
		var last play.Part
		for lines.Scan() {
			if last = (play.Part{}); json.Unmarshal(lines.Bytes(), &last) != nil {
				t.Fatalf("%s: no JSON: %.80s", name, lines.Text())
			}
		}
		switch {
		case !last.Done:
			t.Errorf("%s: no end", name)
		case c.says == "" && last.Fault != nil:
			t.Errorf("%s: %s", name, last.Fault.Message)
		case c.says != "" && (last.Fault == nil || !strings.Contains(last.Fault.Message, c.says)):
			t.Errorf("%s: %v, want %q", name, last.Fault, c.says)
		}
	}
}

// A page that goes in the middle of an answer ends the computation, whatever way its question came;
// the next one is answered.
func TestAPageThatGoesEndsItsAnswer(t *testing.T) {
	listener := httptest.NewUnstartedServer(nil)
	s, err := New(&play.Player{}, listener.Listener.Addr())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	listener.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r)
		ended <- r.Context().Err() // nil where the answer came to its end
	})
	listener.Start()
	defer listener.Close()
	client := listener.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := client.Get(listener.URL + "/?token=" + s.NewToken())
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	<-ended
	cookie := r.Cookies()[0]
	ask := func(ctx context.Context, body io.Reader) *http.Response {
		t.Helper()
		q, err := http.NewRequestWithContext(ctx, "POST", listener.URL+"/api", body)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.AddCookie(cookie)
		r, err := client.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	// Minutes of work, of which the first parts come at once.
	xy := make([]string, 0, 2000)
	for i := range 1000 {
		xy = append(xy, strconv.Itoa(i%37), strconv.Itoa(i*i%41))
	}
	class := strings.Repeat("0,1,", 499) + "0,1"
	long := `{"scene":"search","fields":{"points":{"xy":[` + strings.Join(xy, ",") + `],"class":[` + class +
		`]},"kernel":{"text":"gaussian(lengthscale=0.5)"},"task":"classify","learner":"svm",` +
		`"across":{"name":"gaussian.lengthscale","low":0.01,"high":10,"steps":20},"up":{"name":"C","low":0.1,"high":100000,"steps":20},"folds":10}}`
	for how, body := range map[string]func() io.Reader{
		"with its length": func() io.Reader { return strings.NewReader(long) },
		"in pieces":       func() io.Reader { return io.MultiReader(strings.NewReader(long)) },
	} {
		ctx, leave := context.WithCancel(t.Context())
		r := ask(ctx, body())
		line, err := bufio.NewReader(r.Body).ReadString('\n')
		if err != nil || strings.Contains(line, "fault") {
			t.Fatalf("%s: %.300s, %v", how, line, err)
		}
		leave()
		r.Body.Close()
		if err := <-ended; err == nil {
			t.Errorf("%s: the answer was computed to its end for a page that had gone", how)
		}
	}
	r = ask(t.Context(), strings.NewReader(`{"scene":"kernel","fields":{"kernel":{"text":"linear()"}}}`))
	b, err := io.ReadAll(r.Body)
	if err != nil || !strings.Contains(string(b), `"done":true`) || strings.Contains(string(b), "fault") {
		t.Errorf("the next question: %s, %v", b, err)
	}
	r.Body.Close()
}
