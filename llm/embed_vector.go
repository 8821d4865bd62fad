package llm

import (
	"fmt"
	"math"
	"net/http"
)

// unit makes a vector as long as 1, in place. One that has no direction is an error: it would be near to everything or to
// nothing.
func unit(v []float32) *Error {
	if len(v) == 0 {
		return badVector("the vector is empty")
	}
	var sum float64
	for i, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return badVector("number %d of the vector is %v", i, x)
		}
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return badVector("the vector is all zeros")
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return nil
}

func badVector(format string, args ...any) *Error {
	return &Error{Kind: BadVector, Status: http.StatusOK, Message: fmt.Sprintf(format, args...)}
}
