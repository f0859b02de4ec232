require 'json'
require 'http'

form = JSON.parse(File.read(ARGV[1]))
fields = form['fields'].to_h
fields[form['file']['name']] = HTTP::FormData::File.new(form['file']['filename'])
fields[form['unfilledFile']] = HTTP::FormData::File.new(StringIO.new, filename: '')
HTTP.post(ARGV[0], form: fields)
puts "http.rb #{HTTP::VERSION}, form_data #{HTTP::FormData::VERSION}"
