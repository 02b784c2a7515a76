# Walks what surrounds the building of a project with the Ruby client: URL and token are the arguments.
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

def same(found, wanted)
  raise "#{found.inspect} is not #{wanted.inspect}" unless found == wanted
end

config = "stages: [build, test]\ncompile: {stage: build, script: make}\nunit: {script: make test}\ntidy: {stage: build, script: make clean, when: manual}\n"

group = client.create_group('Forge', 'forge')
dan = client.create_user('dan@example.com', 'correct horse', 'dan', name: 'Dan')
id = client.create_project('Anvil', namespace_id: group.id).id
client.add_team_member(id, dan.id, 30)
client.create_file(id, '.gitlab-ci.yml', 'main', config, 'Build it')
commit = client.commit(id, 'main')
same(client.create_issue(id, 'Heavy').iid, 1)

100.times { client.pipelines(id).empty? ? sleep(0.1) : break }
same(client.pipelines(id).map(&:sha), [commit.id])
pipeline = client.create_pipeline(id, 'main')
same([pipeline.status, pipeline.sha], ['pending', commit.id])
same(client.pipelines(id, per_page: 1).auto_paginate.map(&:id).size, 2)
refused(Gitlab::Error::BadRequest) { client.create_pipeline(id, 'nowhere') }

jobs = client.pipeline_jobs(id, pipeline.id)
same(jobs.map { |job| [job.name, job.stage] }, [%w[compile build], %w[tidy build], %w[unit test]])
same(client.jobs(id, scope: %w[pending]).map(&:name), %w[compile compile])
same(client.job(id, jobs.first.id).pipeline.id, pipeline.id)
same(client.job_trace(id, jobs.first.id).to_s, '')
same(client.job_play(id, jobs[1].id).status, 'pending')
same(client.job_cancel(id, jobs.first.id).status, 'canceled')
same(client.job_retry(id, jobs.first.id).status, 'pending')
same(client.cancel_pipeline(id, pipeline.id).status, 'canceled')
same(client.retry_pipeline(id, pipeline.id).status, 'pending')

same(client.update_commit_status(id, commit.id, 'running', name: 'lint').status, 'running')
same(client.update_commit_status(id, commit.id, 'success', name: 'lint', coverage: 12.5).coverage, 12.5)
same(client.commit_status(id, commit.id, name: 'lint').map(&:status), ['success'])

place = client.create_environment(id, 'review/two', external_url: 'https://two.example.com')
same(client.edit_environment(id, place.id, external_url: 'https://three.example.com').external_url, 'https://three.example.com')
same(client.environments(id).map(&:name), ['review/two'])
given = { environment: 'review/two', sha: commit.id, ref: 'main', tag: false, status: 'success' }
deployment = client.post("/projects/#{id}/deployments", body: given)
same(client.deployments(id).map(&:id), [deployment.id])
same(client.deployment(id, deployment.id).environment.name, 'review/two')
client.stop_environment(id, place.id)
client.delete_environment(id, place.id)
same(client.environments(id).length, 0)

client.create_variable(id, 'KEY', 'one')
same(client.variable(id, 'KEY').value, 'one')
same(client.update_variable(id, 'KEY', 'two').value, 'two')
same(client.variables(id).map(&:key), ['KEY'])
client.remove_variable(id, 'KEY')
refused(Gitlab::Error::NotFound) { client.variable(id, 'KEY') }

trigger = client.create_trigger(id, 'nightly')
same(client.trigger(id, trigger.id).description, 'nightly')
same(client.run_trigger(id, trigger.token, 'main', A: 'b').sha, commit.id)
same(client.update_trigger(id, trigger.id, description: 'weekly').description, 'weekly')
same(client.trigger_take_ownership(id, trigger.id).owner.username, 'root')
client.remove_trigger(id, trigger.id)
same(client.triggers(id).length, 0)

snippet = client.create_snippet(id, title: 'Hint', file_name: 'hint.rb', content: "puts 1\n", visibility: 'private')
same(client.snippet_content(id, snippet.id), "puts 1\n")
same(client.edit_snippet(id, snippet.id, title: 'Better').title, 'Better')
same(client.snippets(id).map(&:title), ['Better'])
client.delete_snippet(id, snippet.id)
refused(Gitlab::Error::NotFound) { client.snippet(id, snippet.id) }

same(client.edit_application_settings(sign_in_text: 'Come in').sign_in_text, 'Come in')
same(client.application_settings.sign_in_text, 'Come in')
client.create_commit_comment(id, commit.id, 'Well made')
events = client.get("/projects/#{id}/events", query: { per_page: 2 }).auto_paginate
same(events.map(&:action_name), ['commented on', 'opened', 'pushed new', 'joined', 'created'])
same(events.first.note.body, 'Well made')
same(client.get("/users/#{dan.id}/events").map(&:action_name), ['joined'])

client.delete_project(id)
client.delete_group(group.id)
client.delete_user(dan.id)
puts 'walked'
