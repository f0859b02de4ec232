package main

import "fmt"

// main greets.
func main() {
	fmt.Println("Hello, world")
}
