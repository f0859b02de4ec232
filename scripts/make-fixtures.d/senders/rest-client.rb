require 'json'
require 'rest-client'

form = JSON.parse(File.read(ARGV[1]))
fields = { multipart: true }.merge(form['fields'].to_h)
fields[form['file']['name']] = File.new(form['file']['filename'], 'rb')
RestClient.post(ARGV[0], fields)
puts "rest-client #{RestClient::VERSION}"
