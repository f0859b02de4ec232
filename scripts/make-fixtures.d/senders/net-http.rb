require 'json'
require 'net/http'

form = JSON.parse(File.read(ARGV[1]))
address = URI(ARGV[0])
request = Net::HTTP::Post.new(address)
fields = form['fields'] + [[form['file']['name'], File.open(form['file']['filename'], 'rb')]]
fields << [form['unfilledFile'], '', { filename: '' }]
request.set_form(fields, 'multipart/form-data', charset: 'UTF-8')
Net::HTTP.start(address.host, address.port) { |http| http.request(request).value }
puts "Ruby #{RUBY_VERSION}, net/http"
