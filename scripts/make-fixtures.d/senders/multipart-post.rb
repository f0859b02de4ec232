require 'json'
require 'net/http/post/multipart'

form = JSON.parse(File.read(ARGV[1]))
address = URI(ARGV[0])
fields = form['fields'].to_h
fields[form['file']['name']] = UploadIO.new(form['file']['filename'], 'text/plain', form['file']['filename'])
fields[form['unfilledFile']] = UploadIO.new(StringIO.new, 'application/octet-stream', '')
request = Net::HTTP::Post::Multipart.new(address.path, fields)
Net::HTTP.start(address.host, address.port) { |http| http.request(request).value }
puts "multipart-post #{Gem.loaded_specs['multipart-post']&.version || MultipartPost::VERSION}"
