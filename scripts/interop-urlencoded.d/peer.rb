# A question per line, answered by Ruby and, where it is installed, ActiveSupport: see scripts/interop-urlencoded.
require 'json'
require 'uri'
begin
  require 'active_support'
  require 'active_support/core_ext/object/to_query'
rescue LoadError
  exit 3 if ARGV[0] == 'active_support'
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

$stdin.each_line do |line|
  question = JSON.parse(line, max_nesting: false)
  answer =
    case question[0]
    when 'to_query' then base64(tree(question[1]).to_query)
    when 'decode' then URI.decode_www_form(text(question[1])).map { |pair| pair.map { |text| base64(text) } }
    when 'encode' then base64(URI.encode_www_form(question[1].map { |pair| pair.map { |word| word && text(word) } }))
    end
  puts JSON.generate(answer)
end
