// A question per line, answered by net/url: see scripts/interop/urlencoded.
package main

import (
	"bufio"
	"encoding/json"
	"net/url"
	"os"
	"sort"
)

// Pairs are grouped by name; names and values are base64 as JSON has []byte.
type group struct {
	Name   []byte
	Values [][]byte
}

type question struct {
	Kind   string
	Text   []byte
	Groups []group
}

func main() {
	input := json.NewDecoder(bufio.NewReader(os.Stdin))
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	answers := json.NewEncoder(output)
	for {
		var q question
		if input.Decode(&q) != nil {
			return
		}
		var answer any
		switch q.Kind {
		case "ParseQuery":
			// What it refuses is missing in the values, which it gives all the same.
			values, _ := url.ParseQuery(string(q.Text))
			groups := []group{}
			for name, texts := range values {
				g := group{Name: []byte(name)}
				for _, text := range texts {
					g.Values = append(g.Values, []byte(text))
				}
				groups = append(groups, g)
			}
			sort.Slice(groups, func(i, j int) bool { return string(groups[i].Name) < string(groups[j].Name) })
			answer = groups
		case "Encode":
			values := url.Values{}
			for _, g := range q.Groups {
				for _, text := range g.Values {
					values.Add(string(g.Name), string(text))
				}
			}
			answer = []byte(values.Encode())
		default:
			answer = []byte(url.QueryEscape(string(q.Text)))
		}
		if answers.Encode(answer) != nil {
			os.Exit(1)
		}
	}
}
