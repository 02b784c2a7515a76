"""Walks what surrounds the building of a project with python-gitlab: URL and token are the arguments."""

import sys
import time

import gitlab

url, token = sys.argv[1:3]
server = gitlab.Gitlab(url, private_token=token, api_version="4")
server.auth()


def refused(status, action):
    """The action must be answered with that status."""
    try:
        action()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, error
    else:
        raise AssertionError(f"not refused with {status}")


def names(records):
    """The names of records, in their order."""
    return [record.name for record in records]


CONFIG = """
stages: [build, test, deploy]
variables: {LEVEL: high}
compile: {stage: build, script: make}
tidy: {stage: build, script: make clean, when: manual}
unit: {script: make test}
ship: {stage: deploy, script: make ship, when: manual, environment: production}
"""

# Group, project, members, repository, issues
group = server.groups.create({"name": "Works", "path": "works", "visibility": "internal"})
carl = server.users.create({"email": "carl@example.com", "username": "carl", "name": "Carl", "password": "correct horse"})
secret = carl.impersonationtokens.create({"name": "walk", "scopes": ["api"]}).token
as_carl = gitlab.Gitlab(url, private_token=secret, api_version="4")
project = server.projects.create({"name": "Engine", "namespace_id": group.id, "visibility": "internal"})
project.members.create({"user_id": carl.id, "access_level": gitlab.const.AccessLevel.REPORTER})
theirs = as_carl.projects.get("works/engine")
project.files.create(
    {"file_path": "Makefile", "branch": "main", "content": "all:\n", "commit_message": "Make it"}
)
project.files.create(
    {"file_path": ".gitlab-ci.yml", "branch": "main", "content": CONFIG, "commit_message": "Build it"}
)
commit = project.commits.get("main")
issue = theirs.issues.create({"title": "Slow", "labels": "speed"})
assert [one.title for one in project.issues.list(get_all=True)] == ["Slow"]

# Pipelines: one by the push, as a job, and one by hand
for _ in range(100):
    if project.pipelines.list(get_all=True):
        break
    time.sleep(0.1)
assert [(one.ref, one.sha) for one in project.pipelines.list(get_all=True)] == [("main", commit.id)]
pipeline = project.pipelines.create({"ref": "main"})
assert (pipeline.status, pipeline.sha, pipeline.user["username"]) == ("pending", commit.id, "root")
assert [one.id for one in project.pipelines.list(scope="branches", get_all=True)] == [pipeline.id]
refused(403, lambda: theirs.pipelines.create({"ref": "main"}))
refused(400, lambda: project.pipelines.create({"ref": "nowhere"}))
pages = project.pipelines.list(per_page=1, iterator=True)
assert (pages.total, len(list(pages))) == (2, 2)
assert theirs.pipelines.get(pipeline.id).status == "pending"

# Jobs
jobs = pipeline.jobs.list(get_all=True)
assert [(one.name, one.stage, one.status) for one in jobs] == [
    ("compile", "build", "pending"),
    ("tidy", "build", "manual"),
    ("unit", "test", "created"),
    ("ship", "deploy", "created"),
], jobs
assert len(project.jobs.list(get_all=True)) == 8
assert names(project.jobs.list(scope=["pending"], get_all=True)) == ["compile", "compile"]
compile_job = project.jobs.get(jobs[0].id)
assert compile_job.pipeline["id"] == pipeline.id
assert compile_job.trace() == b""
refused(403, theirs.jobs.get(jobs[1].id).play)
project.jobs.get(jobs[1].id).play()
assert project.jobs.get(jobs[1].id).status == "pending"
compile_job.cancel()
assert project.jobs.get(compile_job.id).status == "canceled"
refused(403, lambda: theirs.jobs.get(compile_job.id).retry())
compile_job.retry()
again = next(one for one in pipeline.jobs.list(get_all=True) if one.name == "compile" and one.id != compile_job.id)
assert again.status == "pending"
pipeline.cancel()
assert project.pipelines.get(pipeline.id).status == "canceled"
pipeline.retry()
assert project.pipelines.get(pipeline.id).status == "pending"

# Statuses of the commit move a pipeline on; what has an environment deploys
for name in ("lint", "ship"):
    for state in ("running", "success"):
        commit.statuses.create({"state": state, "name": name, "target_url": "https://ci.example.com", "coverage": 80})
refused(403, lambda: theirs.commits.get(commit.id).statuses.create({"state": "success", "name": "lint"}))
status = next(one for one in commit.statuses.list(get_all=True) if one.name == "lint")
assert (status.status, status.target_url, status.coverage, status.author["username"]) == (
    "success",
    "https://ci.example.com",
    80,
    "root",
), status
assert len(commit.statuses.list(name="lint", all=True)) == 1
assert project.commits.get(commit.id).status == "running", project.commits.get(commit.id).status

# Environments and deployments
staging = project.environments.create({"name": "review/one", "external_url": "https://one.example.com"})
assert staging.slug.startswith("review-one"), staging.slug
refused(400, lambda: project.environments.create({"name": "review/one"}))
staging.external_url = "https://two.example.com"
staging.save()
assert {one.name: one.external_url for one in project.environments.list(get_all=True)}["review/one"] == "https://two.example.com"
deployment = project.deployments.create(
    {"environment": "staging", "sha": commit.id, "ref": "main", "tag": False, "status": "success"}
)
found = project.deployments.get(deployment.id)
assert (found.ref, found.sha, found.environment["name"], found.deployable) == ("main", commit.id, "staging", None)
assert deployment.id in [one.id for one in theirs.deployments.list(get_all=True)]
staging.stop()
staging.delete()
assert "review/one" not in names(project.environments.list(get_all=True))

# Variables
variable = project.variables.create({"key": "TOKEN_1", "value": "s3cret & ünï"})
refused(400, lambda: project.variables.create({"key": "TOKEN_1", "value": "again"}))
refused(400, lambda: project.variables.create({"key": "no key", "value": "x"}))
assert project.variables.get("TOKEN_1").value == "s3cret & ünï"
variable.value = "new"
variable.save()
assert [(one.key, one.value) for one in project.variables.list(get_all=True)] == [("TOKEN_1", "new")]
refused(403, lambda: theirs.variables.list())
variable.delete()
refused(404, lambda: project.variables.get("TOKEN_1"))

# Triggers
trigger = project.triggers.create({"description": "nightly"})
fired = gitlab.Gitlab(url).projects.get(project.id, lazy=True).trigger_pipeline("main", trigger.token, {"A": "b"})
assert (fired.ref, fired.sha) == ("main", commit.id)
trigger.description = "weekly"
trigger.save()
assert [one.description for one in project.triggers.list(get_all=True)] == ["weekly"]
trigger.delete()
refused(404, lambda: gitlab.Gitlab(url).projects.get(project.id, lazy=True).trigger_pipeline("main", trigger.token))

# Snippets of the project, and one's own
snippet = project.snippets.create(
    {"title": "Hint", "file_name": "hint.rb", "content": "puts 'ünï'\n", "visibility": "internal"}
)
assert snippet.content() == "puts 'ünï'\n".encode()
assert theirs.snippets.get(snippet.id).title == "Hint"
snippet.title = "Better hint"
snippet.save()
assert [one.title for one in project.snippets.list(get_all=True)] == ["Better hint"]
snippet.delete()
assert project.snippets.list(get_all=True) == []
own = as_carl.snippets.create({"title": "Mine", "file_name": "mine.txt", "content": "mine", "visibility": "private"})
assert own.content() == b"mine"
refused(404, lambda: gitlab.Gitlab(url, private_token=token).snippets.get(own.id + 1000))
assert [one.title for one in as_carl.snippets.list(get_all=True)] == ["Mine"]
own.delete()

# Webhooks, of a receiver that hears of nothing
hook = project.hooks.create({"url": "https://example.com/hook", "push_events": False, "pipeline_events": True})
assert (hook.push_events, hook.pipeline_events, hook.project_id) == (False, True, project.id)
hook.pipeline_events = False
hook.save()
assert [(one.id, one.pipeline_events) for one in project.hooks.list(get_all=True)] == [(hook.id, False)]
refused(422, lambda: project.hooks.create({"url": "nonsense"}))
refused(403, lambda: theirs.hooks.list())
hook.delete()
refused(404, lambda: project.hooks.get(hook.id))
refused(400, lambda: server.hooks.create({"url": "nonsense"}))

# Feature flags, for which this version has no classes of its own
at = f"/projects/{project.id}"
users = server.http_post(f"{at}/feature_flags_user_lists", post_data={"name": "Testers", "user_xids": "ada,ben"})
assert (users["iid"], users["user_xids"]) == (1, "ada,ben")
strategy = {"name": "gitlabUserList", "parameters": {}, "user_list_id": users["id"], "scopes": [{"environment_scope": "*"}]}
flag = server.http_post(
    f"{at}/feature_flags", post_data={"name": "search", "version": "new_version_flag", "strategies": [strategy]}
)
assert (flag["active"], flag["strategies"][0]["user_list"]["name"]) == (True, "Testers")
refused(409, lambda: server.http_delete(f"{at}/feature_flags_user_lists/1"))
gone = {"id": flag["strategies"][0]["id"], "_destroy": True}
more = {"name": "flexibleRollout", "parameters": {"groupId": "default", "rollout": "50", "stickiness": "default"}}
flag = server.http_put(f"{at}/feature_flags/search", post_data={"active": False, "strategies": [gone, more]})
assert (flag["active"], [one["name"] for one in flag["strategies"]]) == (False, ["flexibleRollout"])
assert [one["name"] for one in server.http_list(f"{at}/feature_flags", scope="disabled", iterator=True)] == ["search"]
refused(400, lambda: server.http_post(f"{at}/feature_flags", post_data={"name": "search"}))
refused(403, lambda: as_carl.http_get(f"/projects/{theirs.id}/feature_flags"))
server.http_delete(f"{at}/feature_flags/search")
refused(404, lambda: server.http_get(f"{at}/feature_flags/search"))
server.http_delete(f"{at}/feature_flags_user_lists/1")

# Integrations
webhook = "https://hooks.slack.com/services/T0/B0/secret"
project.integrations.update("slack", {"webhook": webhook, "push_events": False, "username": "gantry"})
assert [one.slug for one in project.integrations.list(get_all=True)] == ["slack"]
slack = project.integrations.get("slack")
assert slack.active and not slack.push_events
assert slack.properties["username"] == "gantry" and "webhook" not in slack.properties
slack.issues_events = False
slack.save()
assert not project.integrations.get("slack").issues_events
refused(400, lambda: project.integrations.update("discord", {"webhook": "nowhere"}))
refused(404, lambda: project.integrations.get("discord"))
slack.delete()
assert project.integrations.list(get_all=True) == []

# Settings, users, events
settings = server.settings.get()
settings.max_attachment_size = 11
settings.save()
assert server.settings.get().max_attachment_size == 11
assert as_carl.http_get("/user")["username"] == "carl"
comment = commit.comments.create({"note": "Well made"})
told = [(one.action_name, one.target_title) for one in project.events.list(per_page=3, iterator=True)]
assert told[0] == ("commented on", "Build it"), told
assert ("opened", "Slow") in told and ("joined", None) in told and told[-1] == ("created", None), told
assert {action for action, _ in told} >= {"pushed new", "pushed to"}, told
assert project.events.list(per_page=1, page=1)[0].note["body"] == "Well made"
assert [one.action_name for one in server.users.get(carl.id).events.list(get_all=True)] == ["opened", "joined"]
project.delete()
group.delete()
carl.delete()
print("walked")
