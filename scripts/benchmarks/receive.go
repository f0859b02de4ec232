// receive FOLDER: Go's net/http with its streaming multipart reader; every file of a form goes to FOLDER. Prints its port.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

func main() {
	folder := os.Args[1]
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		reader, err := request.MultipartReader()
		if err != nil {
			http.Error(answer, err.Error(), 400)
			return
		}
		for {
			part, err := reader.NextPart()
			if err == io.EOF {
				return
			}
			if err == nil && part.FileName() != "" {
				err = store(filepath.Join(folder, filepath.Base(part.FileName())), part)
			}
			if err != nil {
				http.Error(answer, err.Error(), 400)
				return
			}
		}
	})))
}

func store(path string, content io.Reader) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(file, content)
	return err
}
