package hooks

import (
	"net/netip"
	"net/url"
	"slices"
)

// closed are networks that are not the public internet, besides those for which netip has a name: shared addresses of providers, what
// protocols reserve, tests and documentation, and ways of writing other addresses into IPv6.
var closed = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("5f00::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

// Public reports whether an address is one of the public internet: not of this machine, a private network, a link (as the metadata services
// of clouds are), a group, or a reserved range.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsValid() && a.Zone() == "" && a.IsGlobalUnicast() && !a.IsPrivate() && !within(a, closed)
}

// admits reports whether messages are sent to an address: with TLS to the public internet, and to those in allowed in any case.
func admits(scheme string, a netip.Addr, allowed []netip.Prefix) bool {
	return within(a, allowed) || scheme == "https" && Public(a)
}

// MayReach reports whether messages may be sent to a URL, as far as it shows without looking up its name: the address that the name has is
// checked when it is connected to.
func MayReach(to *url.URL, allowed []netip.Prefix) bool {
	if a, err := netip.ParseAddr(to.Hostname()); err == nil {
		return admits(to.Scheme, a, allowed)
	}
	return to.Scheme == "https" || len(allowed) > 0
}

func within(a netip.Addr, networks []netip.Prefix) bool {
	a = a.Unmap()
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(a) })
}
