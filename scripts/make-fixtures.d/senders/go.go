package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"runtime"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	var form struct {
		Fields       [][2]string
		File         struct{ Name, Filename string }
		UnfilledFile string
	}
	text, err := os.ReadFile(os.Args[2])
	check(err)
	check(json.Unmarshal(text, &form))
	var body bytes.Buffer
	writer := multipart.NewWriter(&body)
	for _, field := range form.Fields {
		check(writer.WriteField(field[0], field[1]))
	}
	file, err := writer.CreateFormFile(form.File.Name, form.File.Filename)
	check(err)
	content, err := os.ReadFile(form.File.Filename)
	check(err)
	_, err = file.Write(content)
	check(err)
	_, err = writer.CreateFormFile(form.UnfilledFile, "")
	check(err)
	check(writer.Close())
	_, err = http.Post(os.Args[1], writer.FormDataContentType(), &body)
	check(err)
	fmt.Println("Go", runtime.Version())
}
