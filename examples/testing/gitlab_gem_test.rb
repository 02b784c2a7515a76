# frozen_string_literal: true

# Tests of a program that uses the gem gitlab. Run them with: ruby gitlab_gem_test.rb

require 'gitlab'
require 'json'
require 'minitest/autorun'

# A server with sample data, which obeys lines on its standard input and answers with lines of JSON.
class Gantry
  attr_reader :url, :tokens

  def initialize
    @pipe = IO.popen(%w[npx gantry serve --ephemeral --seed --control], 'r+')
    @url, @tokens = answer.values_at('url', 'tokens')
  end

  def reset
    @pipe.puts 'reset'
    answer
  end

  def stop
    @pipe.close_write
    @pipe.read
    @pipe.close
  end

  private

  def answer
    JSON.parse(@pipe.gets || raise('The server has ended'))
  end
end

SERVER = Gantry.new
Minitest.after_run { SERVER.stop }

class IssuesTest < Minitest::Test
  def setup
    @client = Gitlab.client(endpoint: "#{SERVER.url}/api/v4", private_token: SERVER.tokens.fetch('ada'))
  end

  def teardown
    SERVER.reset
  end

  def test_an_issue_can_be_closed
    @client.close_issue(1, 10)
    assert_equal 'closed', @client.issue(1, 10).state
  end

  def test_and_is_open_in_any_other_test
    assert_equal 'opened', @client.issue(1, 10).state
    assert_equal '29c7299a7ae85d9900c4be99c2d27531b1dafce3', @client.commit(1, 'v1.0.0').id
  end
end
