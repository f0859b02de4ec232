# peer.rb [FOLDER] < questions: the parts of one body per line, as Rack reads them, a line of JSON each. FOLDER has another Rack.
$LOAD_PATH.unshift(ARGV[0]) if ARGV[0]
require 'json'
require 'stringio'
require 'rack'
require 'rack/multipart'
require 'rack/query_parser'

# What an application gets, before names with brackets become trees.
class Pairs < Rack::QueryParser
  attr_reader :parts

  def initialize
    Rack::RELEASE < '3' ? super(Params, 65_536, 100) : super(Params, 100)
    @parts = []
  end

  def normalize_params(_params, name, value, *)
    file = value.is_a?(Hash)
    content = file ? value[:tempfile].tap(&:rewind).read : value
    text = ->(given) { given && given.dup.force_encoding('UTF-8').scrub }
    @parts << { name: text[name], filename: file ? text[value[:filename]] || '' : nil, type: file ? text[value[:type]] : nil,
                content: [content].pack('m0') }
  end
end

$stdin.each_line do |line|
  question = JSON.parse(line)
  type = question['types'].join(', ').encode('ISO-8859-1').b
  body = question['body'].unpack1('m')
  answer =
    begin
      request = Rack::Request.new('REQUEST_METHOD' => 'POST', 'CONTENT_TYPE' => type)
      raise 'not a form' unless request.form_data? || request.parseable_data?
      pairs = Pairs.new
      raise 'no boundary' unless Rack::Multipart::Parser.parse_boundary(type)
      Rack::Multipart::Parser.parse(StringIO.new(body), body.bytesize, type, Rack::Multipart::Parser::TEMPFILE_FACTORY, 16_384, pairs)
      { parts: pairs.parts }
    rescue StandardError => e
      { error: "#{e.class}: #{e.message}".scrub }
    end
  puts JSON.generate(answer)
end
