# Works together with the Ruby client: branch, merge request, note, label, emoji, merge, todo. URL and token are the arguments.
require 'gitlab'

url, token = ARGV
client = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)

def wait_for(wanted)
  found = nil
  150.times do
    found = yield
    return if found == wanted

    sleep 0.2
  end
  raise "#{found.inspect} is not #{wanted.inspect}"
end

project = client.create_project('Ruby Merging').id
client.create_commit(project, 'master', 'First', [{ action: 'create', file_path: 'hello.txt', content: "Hello\n" }])
client.create_label(project, 'bug', '#ff0000')
issue = client.create_issue(project, 'Nobody greets the world')
client.create_branch(project, 'greet', 'master')
change = [{ action: 'update', file_path: 'hello.txt', content: "Hello, world\n" }]
client.create_commit(project, 'greet', 'Greet the world', change)

request = client.create_merge_request(
  project, 'Greet the world',
  source_branch: 'greet', target_branch: 'master', description: "Fixes ##{issue.iid}", remove_source_branch: true
).iid
raise 'not listed' unless client.merge_requests(project, state: 'opened').map(&:iid) == [request]
raise 'no commit' unless client.merge_request_commits(project, request).map(&:title) == ['Greet the world']
raise 'no change' unless client.merge_request_changes(project, request).changes.map { |one| one['new_path'] } == ['hello.txt']

note = client.create_merge_request_note(project, request, 'One more thing')
client.edit_merge_request_note(project, request, note.id, 'Nothing more')
raise 'no note' unless client.merge_request_notes(project, request).map(&:body) == ['Nothing more']

client.create_award_emoji(project, request, 'merge_request', 'tada')
raise 'no emoji' unless client.award_emojis(project, request, 'merge_request').map(&:name) == ['tada']

client.update_merge_request(project, request, labels: 'bug')
client.create_issue_note(project, issue.iid, 'Soon')
wait_for('can_be_merged') { client.merge_request(project, request).merge_status }
client.accept_merge_request(project, request, merge_commit_message: 'Greet everybody')
raise 'not merged' unless client.merge_request(project, request).state == 'merged'
raise 'no merge' unless client.commit(project, 'master').title == 'Greet everybody'

wait_for('closed') { client.issue(project, issue.iid).state }
wait_for(['master']) { client.branches(project).map(&:name) }
client.todos.each { |todo| client.mark_todo_as_done(todo.id) }
raise 'todos are left' unless client.todos.empty?

puts 'walked'
