// mime/multipart, for scripts/bench: MB of a multipart body for each second of CPU time.
package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"sort"
	"strconv"
	"syscall"
)

func cpu() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)/1e6
}

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
	parse()
	rounds := []float64{}
	for len(rounds) < 5 {
		start, runs := cpu(), 0
		for cpu()-start < 0.05 {
			parse()
			runs++
		}
		rounds = append(rounds, (cpu()-start)/float64(runs))
	}
	sort.Float64s(rounds)
	fmt.Printf("parts %d\nbytes %d\nrate %d\n", parts, count, int(float64(len(body))/rounds[2]/1e6))
}
