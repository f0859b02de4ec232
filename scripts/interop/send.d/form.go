// form PORT: Go's net/http, the parts read while they arrive.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path"
	"runtime"
)

func form(answer http.ResponseWriter, request *http.Request) {
	reader, err := request.MultipartReader()
	if err != nil {
		http.Error(answer, err.Error(), 400)
		return
	}
	var rows []map[string]any
	for {
		part, err := reader.NextPart()
		if err == io.EOF {
			break
		}
		hash := sha256.New()
		var size int64
		if err == nil {
			size, err = io.Copy(hash, part)
		}
		if err != nil {
			http.Error(answer, err.Error(), 400)
			return
		}
		row := map[string]any{"name": part.FormName(), "filename": nil, "size": size, "sha256": hex.EncodeToString(hash.Sum(nil))}
		if name := part.FileName(); name != "" {
			row["filename"] = name
		}
		rows = append(rows, row)
	}
	lines := json.NewEncoder(answer)
	for _, row := range rows {
		lines.Encode(row)
	}
}

func main() {
	http.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(answer, "net/http of", runtime.Version())
	})
	http.HandleFunc("/form", form)
	http.HandleFunc("/moved", func(answer http.ResponseWriter, request *http.Request) {
		http.Redirect(answer, request, "/form", 307)
	})
	http.HandleFunc("/busy/", func(answer http.ResponseWriter, request *http.Request) {
		file, err := os.OpenFile("busy-"+path.Base(request.URL.Path), os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			form(answer, request)
			return
		}
		file.Close()
		answer.Header().Set("Retry-After", "1")
		http.Error(answer, "busy", 503)
	})
	http.HandleFunc("/full", func(answer http.ResponseWriter, _ *http.Request) { http.Error(answer, "too large", 413) })
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
