package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// download makes a request whose answer is a file, and returns it with the headers.
func (c *apiClient) download(ctx context.Context, r apiRequest) (file []byte, header http.Header, err error) {
	err = c.patiently(ctx, func() error {
		file, header, err = c.downloadOnce(ctx, r)
		return err
	})
	return file, header, err
}

func (c *apiClient) downloadOnce(ctx context.Context, r apiRequest) ([]byte, http.Header, error) {
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := c.request(limited, r)
	if err != nil {
		return nil, nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, c.unreachable(ctx, err)
	}
	defer response.Body.Close()
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") { // a refusal
		_, err := c.read(ctx, response)
		if err == nil {
			err = fmt.Errorf("%s answers %s without a file: check --url (or REVERIE_URL)", c.base, response.Status)
		}
		return nil, nil, err
	}
	file, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, nil, c.unreachable(ctx, err)
	}
	return file, response.Header, nil
}
