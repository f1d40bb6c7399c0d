package serve_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// Nothing but a token in its header opens a server that asks for one: no other way to write the
// path, the method or the header does, and no answer without one has anything of a model.
func TestTokensAreNotPassedBy(t *testing.T) {
	const token = "0123456789abcdef"
	var log bytes.Buffer
	s := serving(t, serve.Options{Tokens: func() []string { return []string{token} }, AccessLog: true,
		Log: slog.New(slog.NewTextHandler(&log, nil))}, map[string]*model.Model{"secret": constant(4)})
	try := func(method, path string, headers ...string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequest(method, "http://localhost/", strings.NewReader("x\n1\n"))
		r.URL.Path, r.URL.RawPath, r.RequestURI = path, "", path
		if i := strings.IndexByte(path, '?'); i >= 0 {
			r.URL.Path, r.URL.RawQuery = path[:i], path[i+1:]
		}
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Add(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"} {
		for _, path := range []string{
			"/v2/models/secret", "//v2/models/secret", "/v2//models/secret", "/v2/./models/secret",
			"/v2/health/../models/secret", "/v2/models/secret/", "/V2/models/secret",
			"/v2/models/secret/infer", "/predict/secret", "/v2/repository/index", "/metrics", "/openapi.json", "/",
			"/v2/models/secret?token=" + token, "/v2/models/secret?access_token=" + token,
			"/v2/health/live/../../models/secret", "/v2/models/secret/ready/..", "/inference.GRPCInferenceService/ModelInfer",
			"/inference.GRPCInferenceService/ModelMetadata",
		} {
			w := try(method, path)
			if w.Code/100 == 2 || strings.Contains(w.Body.String(), "platform") ||
				strings.Contains(w.Body.String(), "prediction") {
				t.Errorf("%s %s: %d %.200s", method, path, w.Code, w.Body)
			}
			if w.Code/100 == 3 && strings.Contains(w.Header().Get("Location"), token) {
				t.Errorf("%s %s: a token in a redirection", method, path)
			}
		}
	}
	for name, headers := range map[string][]string{
		"the scheme alone":    {"Authorization", "Bearer "},
		"two tokens":          {"Authorization", "Bearer " + token + " " + token},
		"a list":              {"Authorization", "Bearer x, Bearer " + token},
		"a second header":     {"Authorization", "Bearer x", "Authorization", "Bearer " + token},
		"a part":              {"Authorization", "Bearer " + token[:15]},
		"more":                {"Authorization", "Bearer " + token + "0"},
		"in capitals":         {"Authorization", "Bearer " + strings.ToUpper(token)},
		"quoted":              {"Authorization", `Bearer "` + token + `"`},
		"a megabyte":          {"Authorization", "Bearer " + strings.Repeat("a", 1<<20)},
		"another header":      {"Proxy-Authorization", "Bearer " + token},
		"a cookie":            {"Cookie", "token=" + token},
		"a method overridden": {"X-HTTP-Method-Override", "GET"},
		"behind a proxy":      {"X-Forwarded-For", "127.0.0.1", "Forwarded", "for=127.0.0.1"},
	} {
		if w := try("GET", "/v2/models/secret", headers...); w.Code != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	for _, scheme := range []string{"Bearer", "bearer", "BEARER"} { // of any case (RFC 9110, 11.1)
		if w := try("GET", "/v2/models/secret", "Authorization", scheme+" "+token); w.Code != http.StatusOK {
			t.Errorf("%s: %d", scheme, w.Code)
		}
	}
	// However it was sent, right or nearly: logs are read by others.
	for _, part := range []string{token, token[:15], strings.ToUpper(token)} {
		if strings.Contains(log.String(), part) {
			t.Errorf("the log has %q of a token", part)
		}
	}
	if !strings.Contains(log.String(), "status=401") {
		t.Error("the log has nothing of those who were refused")
	}
}
