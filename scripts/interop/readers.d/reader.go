// reader BOUNDARY < body: the parts as Go's mime/multipart reads them, a JSON object a line.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"mime/multipart"
	"os"
)

func main() {
	reader := multipart.NewReader(os.Stdin, os.Args[1])
	lines := json.NewEncoder(os.Stdout)
	for {
		part, err := reader.NextPart()
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		hash := sha256.New()
		size, err := io.Copy(hash, part)
		if err != nil {
			log.Fatal(err)
		}
		row := map[string]any{"name": part.FormName(), "filename": nil, "size": size, "sha256": hex.EncodeToString(hash.Sum(nil))}
		if name := part.FileName(); name != "" {
			row["filename"] = name
		}
		lines.Encode(row)
	}
}
