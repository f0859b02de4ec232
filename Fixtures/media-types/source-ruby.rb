# frozen_string_literal: true

require "json"

class Greeter
  def initialize(name) = @name = name

  def greet
    "Hello, #{@name}"
  end
end

puts Greeter.new("world").greet
