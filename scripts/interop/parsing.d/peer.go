// peer < questions: the parts of one body per line, as Go's mime/multipart reads them, a line of JSON each.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"os"
)

type question struct {
	Type string `json:"type"`
	Body []byte `json:"body"`
}

type part struct {
	Name     *string `json:"name"`
	Filename *string `json:"filename"`
	Type     *string `json:"type"`
	Sha256   string  `json:"sha256"`
}

func read(q question) ([]part, error) {
	_, parameters, err := mime.ParseMediaType(q.Type)
	if err != nil {
		return nil, err
	}
	reader := multipart.NewReader(bytes.NewReader(q.Body), parameters["boundary"])
	parts := []part{}
	for {
		next, err := reader.NextRawPart()
		if err == io.EOF {
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		var p part
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
		hash := sha256.New()
		if _, err := io.Copy(hash, next); err != nil {
			return nil, err
		}
		p.Sha256 = hex.EncodeToString(hash.Sum(nil))
		parts = append(parts, p)
	}
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
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
