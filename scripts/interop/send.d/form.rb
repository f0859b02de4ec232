# form.rb PORT: Rack, which puts files on disk, served by Puma.
require 'digest'
require 'json'
require 'puma'
require 'puma/server'
require 'rack'

def line(name, filename, size, sha256)
  name, filename = [name, filename].map { |text| text&.dup&.force_encoding('UTF-8') }
  JSON.generate(name: name, filename: filename, size: size, sha256: sha256) + "\n"
end

def rows(environment)
  Rack::Multipart.parse_multipart(environment).map do |name, value|
    if value.is_a?(Hash)
      line(name, value[:filename], value[:tempfile].size, Digest::SHA256.file(value[:tempfile].path).hexdigest)
    else
      line(name, nil, value.bytesize, Digest::SHA256.hexdigest(value))
    end
  end.join
end

def first?(key)
  File.open("busy-#{File.basename(key)}", File::CREAT | File::EXCL | File::WRONLY).close
  true
rescue Errno::EEXIST
  false
end

app = lambda do |environment|
  _, place, key = environment['PATH_INFO'].split('/')
  if environment['REQUEST_METHOD'] == 'GET'
    [200, {}, ["Rack #{Rack.release}, Puma #{Puma::Const::PUMA_VERSION}\n"]]
  elsif place == 'moved'
    [307, { 'Location' => '/form' }, []]
  elsif place == 'full'
    [413, {}, ["too large\n"]]
  elsif place == 'busy' && first?(key)
    [503, { 'Retry-After' => '1' }, ["busy\n"]]
  else
    begin
      [200, {}, [rows(environment)]]
    rescue StandardError => e
      [400, {}, ["#{e.class}\n"]]
    end
  end
end

server = Puma::Server.new(app)
server.add_tcp_listener('127.0.0.1', Integer(ARGV[0]))
server.run.join
