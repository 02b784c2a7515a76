# Walks the repository of a project with the Ruby client: URL and token are the arguments.
require 'gitlab'
require 'tmpdir'

url, token = ARGV
client = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)

def refused(error)
  yield
rescue error
  nil
else
  raise "not refused with #{error}"
end

def same(found, wanted)
  raise "#{found.inspect} is not #{wanted.inspect}" unless found == wanted
end

id = client.create_project('Ruby Repository').id
bytes = (0..255).to_a.pack('C*')

actions = [
  { action: 'create', file_path: 'README.md', content: "# Read\n" },
  { action: 'create', file_path: 'src/a.txt', content: "one\ntwo\n" },
  { action: 'create', file_path: 'src/data.bin', encoding: 'base64', content: Base64.encode64(bytes) }
]
first = client.create_commit(id, 'main', 'First', actions, author_name: 'Eve', author_email: 'eve@example.com')
same(first.title, 'First')
same(client.project(id).default_branch, 'main')
second = client.create_commit(id, 'main', 'Second', [{ action: 'delete', file_path: 'README.md' }])
same(client.commits(id, ref_name: 'main', per_page: 1).auto_paginate.map(&:id), [second.id, first.id])
same(client.commit(id, first.short_id).author_email, 'eve@example.com')
same(client.commit_diff(id, second.id).map(&:deleted_file), [true])

same(client.create_file(id, 'notes/a b.txt', 'main', "Note\n", 'Note it').file_path, 'notes/a b.txt')
client.edit_file(id, 'notes/a b.txt', 'main', "Noted\n", 'Note it better')
same(client.file_contents(id, 'notes/a b.txt', 'main'), "Noted\n")
same(Base64.decode64(client.get_file(id, 'src/data.bin', 'main').content), bytes)
client.remove_file(id, 'notes/a b.txt', 'main', 'Forget it')
refused(Gitlab::Error::NotFound) { client.get_file(id, 'notes/a b.txt', 'main') }

same(client.tree(id, ref: 'main', recursive: true).map(&:path), %w[src src/a.txt src/data.bin])
archive = client.repo_archive(id, 'main', 'zip')
raise archive.filename unless archive.filename.end_with?('.zip')
same(archive.to_hash[:data].string[0, 2], 'PK')
same(client.compare(id, first.id, 'main').commits.first['title'], 'Second')
same(client.contributors(id).map(&:email).include?('eve@example.com'), true)

client.create_branch(id, 'feature/one', 'main')
refused(Gitlab::Error::BadRequest) { client.create_branch(id, 'feature/one', 'main') }
same(client.branches(id).map(&:name), %w[feature/one main])
same(client.branch(id, 'main').protected, true)
at = "/projects/#{id}/repository/branches/feature%2Fone"
same(client.put("#{at}/protect").protected, true)
refused(Gitlab::Error::MethodNotAllowed) { client.delete_branch(id, 'feature/one') }
same(client.put("#{at}/unprotect").protected, false)
more = client.create_commit(id, 'feature/one', 'More', [{ action: 'create', file_path: 'more.txt', content: 'more' }])
same(client.cherry_pick_commit(id, more.id, 'main').title, 'More')
refused(Gitlab::Error::BadRequest) { client.cherry_pick_commit(id, more.id, 'main') }
client.delete_branch(id, 'feature/one')
refused(Gitlab::Error::NotFound) { client.branch(id, 'feature/one') }
client.delete_merged_branches(id)

client.create_commit_comment(id, more.id, 'Nice', path: 'more.txt', line: 1, line_type: 'new')
same(client.commit_comments(id, more.id).map(&:note), ['Nice'])

same(client.create_tag(id, 'v1.0', 'main', 'One', 'Notes').release['description'], 'Notes')
refused(Gitlab::Error::MethodNotAllowed) { client.create_tag(id, 'v1.0', 'main') }
same(client.update_release(id, 'v1.0', 'More notes').description, 'More notes')
client.create_tag(id, 'light/2', 'main')
same(client.create_release(id, 'light/2', 'Two').tag_name, 'light/2')
same(client.tags(id).map(&:name), %w[v1.0 light/2])
same(client.tag(id, 'light/2').message, nil)
client.delete_tag(id, 'light/2')
refused(Gitlab::Error::NotFound) { client.tag(id, 'light/2') }

Dir.mktmpdir do |place|
  remote = client.project(id).http_url_to_repo.sub('://', "://root:#{token}@")
  raise 'not cloned' unless system('git', 'clone', '--quiet', remote, place)
  same(`git -C #{place} rev-parse HEAD`.strip, client.commit(id, 'main').id)
end
client.delete_project(id)
puts 'walked'
