// mime/multipart, for scripts/bench: MB of a multipart body for each second of CPU time.
package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"strconv"
)

// A body in chunks of at most a given size.
type chunks struct {
	body io.Reader
	size int
}

func (c chunks) Read(into []byte) (int, error) {
	if len(into) > c.size {
		into = into[:c.size]
	}
	return c.body.Read(into)
}

func main() {
	body, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	size, _ := strconv.Atoi(os.Args[3])
	buffer := make([]byte, size)
	parts, count := 0, int64(0)
	parse := func() {
		parts, count = 0, 0
		reader := multipart.NewReader(chunks{bytes.NewReader(body), size}, os.Args[2])
		for {
			part, err := reader.NextRawPart()
			if err == io.EOF {
				return
			}
			if err != nil {
				panic(err)
			}
			parts++
			if part.FormName() == "" {
				panic("a part without a name")
			}
			for {
				read, err := part.Read(buffer)
				count += int64(read)
				if err == io.EOF {
					break
				}
				if err != nil {
					panic(err)
				}
			}
		}
	}
	taken := seconds(parse)
	fmt.Printf("parts %d\nbytes %d\nrate %d\n", parts, count, int(float64(len(body))/taken/1e6))
}
