package serve

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// A page of somebody else's may have its name point at this machine after it was loaded (DNS
// rebinding): to the browser its requests are then of one origin, and may read the answers. What
// tells them is the name that they ask for. Without a token a server on loopback is asked by its
// address, or as localhost; other names are those of the origins that it was started with. With TLS
// the certificate tells.

// knownHost refuses a request on loopback that asks for somebody else's name.
func (s *Server) knownHost(r *http.Request) error {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !at.IP.IsLoopback() || s.options.Tokens != nil || r.TLS != nil {
		return nil
	}
	host := strings.ToLower(r.Host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	if host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host) != nil {
		return nil
	}
	for _, origin := range s.options.Origins {
		if u, err := url.Parse(origin); origin == "*" || err == nil && strings.EqualFold(u.Hostname(), host) {
			return nil
		}
	}
	return refusedAs(http.StatusMisdirectedRequest,
		"this is not %s: a server without a token that listens on loopback is asked as localhost or by its address, or by "+
			"a name that it was started with (an allowed origin)", clip(r.Host))
}
