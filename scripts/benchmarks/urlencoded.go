// net/url, for scripts/bench: MB of input for each second of CPU time.
package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"reflect"
)

func main() {
	raw, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	encoded, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	texts := bytes.Split(raw, []byte{0})
	values := url.Values{}
	for i := 0; i+1 < len(texts); i += 2 {
		values.Set(string(texts[i]), string(texts[i+1]))
	}
	var output string
	encode := seconds(func() { output = values.Encode() })
	var decoded url.Values
	text := string(encoded)
	decode := seconds(func() { decoded, err = url.ParseQuery(text) })
	if err != nil || len(output) != len(text) || !reflect.DeepEqual(decoded, values) {
		panic("not the pairs that were encoded")
	}
	fmt.Printf("encode %d\ndecode %d\n", int(float64(len(raw))/encode/1e6), int(float64(len(text))/decode/1e6))
}
