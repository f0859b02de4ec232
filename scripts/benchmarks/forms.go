// Receives small forms as a net/http app would: `forms-go` prints its address. `forms-go memory BODY TYPE TIMES` decodes one
// form in memory instead.
package main

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"strconv"
)

type signUp struct {
	name, email, city string
	age               int
	agrees            bool
	photo             *multipart.FileHeader
}

func decode(r *http.Request) (signUp, error) {
	var value signUp
	err := r.ParseMultipartForm(8 << 20)
	if err == http.ErrNotMultipart {
		err = nil
	}
	if err != nil {
		return value, err
	}
	value.name, value.email, value.city = r.FormValue("name"), r.FormValue("email"), r.FormValue("city")
	if value.age, err = strconv.Atoi(r.FormValue("age")); err != nil {
		return value, err
	}
	value.agrees = r.FormValue("agrees") == "on"
	if r.MultipartForm != nil && len(r.MultipartForm.File["photo"]) > 0 {
		value.photo = r.MultipartForm.File["photo"][0]
	}
	return value, nil
}

func (value signUp) sum() int {
	sum := len(value.name) + len(value.email) + len(value.city) + value.age
	if value.agrees {
		sum += 1000
	}
	if value.photo != nil {
		sum += len(value.photo.Filename)
	}
	return sum
}

func memory(path, contentType, times string) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	sum := 0
	for i := 0; i < count; i++ {
		form, err := multipart.NewReader(bytes.NewReader(body), parameters["boundary"]).ReadForm(8 << 20)
		if err != nil {
			return err
		}
		house, err := strconv.Atoi(form.Value["house"][0])
		if err != nil {
			return err
		}
		quantity, err := strconv.Atoi(form.Value["quantity"][0])
		if err != nil {
			return err
		}
		sum += house + quantity + len(form.Value["note"][0])
	}
	fmt.Println(sum)
	return nil
}

func main() {
	if len(os.Args) > 4 {
		if err := memory(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			panic(err)
		}
		return
	}
	http.HandleFunc("/raw", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		fmt.Fprintf(w, "%d", len(body))
	})
	http.HandleFunc("/decode", func(w http.ResponseWriter, r *http.Request) {
		value, err := decode(r)
		if err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		fmt.Fprintf(w, "%d", value.sum())
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	panic(http.Serve(listener, nil))
}
