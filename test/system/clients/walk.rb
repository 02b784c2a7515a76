# Walks issues, labels and milestones with the Ruby client: URL and token are the arguments.
require 'gitlab'

url, token = ARGV
client = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)
raise 'not root' unless client.user.username == 'root'

project = client.create_project('Ruby Walk')
client.create_label(project.id, 'bug', '#ff0000')
milestone = client.create_milestone(project.id, 'v1', due_date: '2030-12-24')
3.times { |number| client.create_issue(project.id, "Issue #{number}", labels: 'bug', milestone_id: milestone.id) }

titles = client.issues(project.id, labels: 'bug', per_page: 2).auto_paginate.map(&:title)
raise titles.inspect unless titles == ['Issue 2', 'Issue 1', 'Issue 0']

client.close_issue(project.id, 1)
raise 'not closed' unless client.issue('root/ruby-walk', 1).state == 'closed'

client.reopen_issue(project.id, 1)
raise 'not opened' unless client.issue(project.id, 1).state == 'opened'

client.delete_issue(project.id, 3)
begin
  client.issue(project.id, 3)
  raise 'a deleted issue was found'
rescue Gitlab::Error::NotFound
  puts 'walked'
end
