package prompts

import "reverie/memory"

// codeDigits is the length of a marker's code, in hexadecimal digits.
const codeDigits = 12

// fenceCode returns the code of the markers around data; see memory.FenceCode.
func fenceCode(data ...string) string { return memory.FenceCode(codeDigits, data...) }
