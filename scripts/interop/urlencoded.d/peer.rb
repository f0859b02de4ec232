# A question per line, answered by Ruby and, where they are installed, ActiveSupport and Rack: see
# scripts/interop/urlencoded.
require 'json'
require 'uri'
begin
  require 'active_support'
  require 'active_support/core_ext/object/to_query'
rescue LoadError
  exit 3 if ARGV[0] == 'active_support'
end
begin
  require 'rack'
rescue LoadError
  exit 3 if ARGV[0] == 'rack'
end
exit if ARGV[0]

def text(base64) = base64.unpack1('m').force_encoding('UTF-8')
def base64(text) = [text].pack('m0')

def tree(tagged)
  kind, content = tagged
  case kind
  when 'n' then nil
  when 't' then content == '1'
  when 'i' then content.to_i
  when 'd' then [content].pack('H*').unpack1('G')
  when 's' then text(content)
  when 'a' then content.map { |element| tree(element) }
  else content.to_h { |name, value| [text(name), tree(value)] }
  end
end

def tagged(value)
  case value
  when nil then ['n']
  when Array then ['a', value.map { |element| tagged(element) }]
  when Hash then ['o', value.map { |name, content| [base64(name), tagged(content)] }]
  else ['s', base64(value)]
  end
end

# As Rack::Request reads a query string and a form, which it has as bytes.
def nested(text)
  tagged(Rack::Utils.parse_nested_query(text, '&'))
rescue Rack::QueryParser::ParameterTypeError, Rack::QueryParser::InvalidParameterError,
       Rack::QueryParser::ParamsTooDeepError => e
  { 'error' => e.class.name }
end

$stdin.each_line do |line|
  question = JSON.parse(line, max_nesting: false)
  answer =
    case question[0]
    when 'to_query' then base64(tree(question[1]).to_query)
    when 'nested' then nested(question[1].unpack1('m'))
    when 'decode' then URI.decode_www_form(text(question[1])).map { |pair| pair.map { |text| base64(text) } }
    when 'encode' then base64(URI.encode_www_form(question[1].map { |pair| pair.map { |word| word && text(word) } }))
    end
  puts JSON.generate(answer)
end
