# Walks people, groups, members and projects with the Ruby client: URL and token are the arguments.
require 'gitlab'

url, token = ARGV
client = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)

def refused(error)
  yield
rescue error
  nil
else
  raise "not refused with #{error}"
end

eve = client.create_user('eve@example.com', 'correct horse', 'eve', name: 'Eve')
refused(Gitlab::Error::Conflict) { client.create_user('eve@example.com', 'correct horse', 'eve2', name: 'Eve') }
raise 'not found' unless client.user_search('eve').map(&:username) == ['eve']

client.edit_user(eve.id, location: 'Here')
raise 'not edited' unless client.user(eve.id).location == 'Here'

client.add_email('more@example.com', eve.id)
raise 'no address' unless client.emails(eve.id).map(&:email) == ['more@example.com']

client.block_user(eve.id)
raise 'not blocked' unless client.user(eve.id).state == 'blocked'

client.unblock_user(eve.id)

group = client.create_group('Rubies', 'rubies', visibility: 'internal')
client.add_group_member(group.id, eve.id, 30)
raise 'no member' unless client.group_members(group.id).map(&:username).sort == %w[eve root]

client.edit_group_member(group.id, eve.id, 40)
project = client.create_project('Stone', namespace_id: group.id)
client.add_team_member(project.id, eve.id, 20)
raise 'no team' unless client.team_members(project.id).map(&:username) == ['eve']

client.remove_team_member(project.id, eve.id)
client.star_project(project.id)
raise 'no star' unless client.project(project.id).star_count == 1

client.edit_project(project.id, description: 'Hard')
raise 'not edited' unless client.project('rubies/stone').description == 'Hard'

fork = client.create_fork(project.id)
raise 'no fork' unless client.project(fork.id).forked_from_project.id == project.id

raise 'no projects' unless client.group_projects(group.id).map(&:path) == ['stone']
raise 'no settings' unless client.application_settings.signup_enabled

client.delete_project(fork.id)
client.delete_group(group.id)
refused(Gitlab::Error::NotFound) { client.project(project.id) }
client.delete_user(eve.id)
refused(Gitlab::Error::NotFound) { client.user(eve.id) }
puts 'walked'
