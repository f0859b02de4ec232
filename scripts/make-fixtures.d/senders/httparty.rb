require 'json'
require 'httparty'

# As bytes: httparty joins names, values and content to one string, and raises where text beyond ASCII meets bytes.
form = JSON.parse(File.read(ARGV[1]))
fields = form['fields'].to_h { |name, value| [name.b, value.b] }
fields[form['file']['name']] = File.open(form['file']['filename'].b, 'rb')
HTTParty.post(ARGV[0], multipart: true, body: fields)
puts "httparty #{HTTParty::VERSION}"
