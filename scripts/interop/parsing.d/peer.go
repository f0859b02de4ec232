// peer < questions: the parts of one body per line, as Go's net/http reads them, a line of JSON each.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
)

type question struct {
	Types  []string `json:"types"`
	Body   []byte   `json:"body"`
	// A whole message in place of both.
	Message []byte `json:"message"`
	Strict bool     `json:"strict"`
}

type part struct {
	Name     *string `json:"name"`
	Filename *string `json:"filename"`
	Type     *string `json:"type"`
	Content  []byte  `json:"content"`
}

func (q question) request() (*http.Request, error) {
	if len(q.Message) > 0 {
		return http.ReadRequest(bufio.NewReader(bytes.NewReader(q.Message)))
	}
	header := http.Header{}
	for _, text := range q.Types {
		latin1 := []byte{}
		for _, r := range text {
			latin1 = append(latin1, byte(r))
		}
		header.Add("Content-Type", string(latin1))
	}
	body := io.NopCloser(bytes.NewReader(q.Body))
	return &http.Request{Method: "POST", Header: header, Body: body, ContentLength: int64(len(q.Body))}, nil
}

func read(q question) ([]part, error) {
	request, err := q.request()
	if err != nil {
		return nil, err
	}
	if err := request.ParseMultipartForm(1 << 24); err != nil && !q.Strict {
		return nil, err
	}
	again, _ := q.request()
	reader, err := again.MultipartReader()
	if err != nil {
		return nil, err
	}
	parts := []part{}
	for {
		// Raw for composed bodies only: a form's reader decodes quoted-printable.
		get := reader.NextPart
		if q.Strict {
			get = reader.NextRawPart
		}
		next, err := get()
		if err == io.EOF {
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		p := part{Content: []byte{}}
		// Like FormName and FileName, which don't distinguish an empty value from a missing one.
		_, disposition, _ := mime.ParseMediaType(next.Header.Get("Content-Disposition"))
		if _, has := disposition["name"]; has {
			name := next.FormName()
			p.Name = &name
		}
		if filename, has := disposition["filename"]; has {
			if filename != "" {
				filename = next.FileName()
			}
			p.Filename = &filename
		}
		if values := next.Header["Content-Type"]; len(values) > 0 {
			p.Type = &values[0]
		}
		if p.Content, err = io.ReadAll(next); err != nil {
			return nil, err
		}
		// A form leaves out parts without a name, and one with an empty file name is a field.
		if !q.Strict && next.FormName() == "" {
			continue
		}
		if !q.Strict && next.FileName() == "" {
			p.Filename = nil
		}
		parts = append(parts, p)
	}
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			panic(err)
		}
		if parts, err := read(q); err != nil {
			answers.Encode(map[string]any{"error": err.Error()})
		} else {
			answers.Encode(map[string]any{"parts": parts})
		}
	}
}
