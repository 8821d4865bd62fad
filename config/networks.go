package config

import (
	"fmt"
	"net/netip"
	"strings"
)

// Networks are address ranges, written as CIDR prefixes with commas between them.
type Networks []netip.Prefix

// Decode reads the networks of a setting. A single address is a network of one.
func (n *Networks) Decode(value string) error {
	*n = nil
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(part)
		if address, single := netip.ParseAddr(part); single == nil {
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return networkError(part)
		}
		*n = append(*n, prefix)
	}
	return nil
}

// networkError is a text that is not a network.
type networkError string

func (e networkError) Error() string {
	return fmt.Sprintf("%q is not a network: write addresses or CIDR prefixes, such as 10.0.0.0/8", string(e))
}
