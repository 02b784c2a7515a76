"""Works together with python-gitlab: fork, branch, merge request, note, label, emoji, pipeline, merge, todo. URL and token are the arguments."""

import sys
import time

import gitlab

URL, TOKEN = sys.argv[1:3]


def wait_for(what, wanted):
    """Calls `what` until it gives `wanted`; half a minute at most."""
    for _ in range(150):
        found = what()
        if found == wanted:
            return
        time.sleep(0.2)
    raise AssertionError(f"{found!r} is not {wanted!r}")


root = gitlab.Gitlab(URL, private_token=TOKEN, api_version="4")
root.auth()
password = "correct horse battery"
ann = root.users.create(
    {"name": "Ann", "username": "py-ann", "email": "py-ann@example.org", "password": password, "skip_confirmation": True}
)
token = ann.impersonationtokens.create({"name": "tour", "scopes": ["api"]}).token
her = gitlab.Gitlab(URL, private_token=token, api_version="4")
her.auth()

project = root.projects.create({"name": "Python Merging", "visibility": "public"})
project.commits.create(
    {
        "branch": "master",
        "commit_message": "First",
        "actions": [{"action": "create", "file_path": "hello.txt", "content": "Hello\n"}],
    }
)
project.labels.create({"name": "bug", "color": "#ff0000"})
issue = project.issues.create({"title": "Nobody greets the world", "labels": ["bug"]})

# Ann forks the project, and proposes a change from a branch of her fork.
fork = her.projects.get(project.id).forks.create({})
mine = her.projects.get(fork.id)
wait_for(lambda: len(mine.branches.list(get_all=True)), 1)
mine.branches.create({"branch": "greet", "ref": "master"})
commit = mine.commits.create(
    {
        "branch": "greet",
        "commit_message": "Greet the world",
        "actions": [{"action": "update", "file_path": "hello.txt", "content": "Hello, world\n"}],
    }
)
request = mine.mergerequests.create(
    {
        "source_branch": "greet",
        "target_branch": "master",
        "target_project_id": project.id,
        "title": "WIP: Greet the world",
        "description": f"Closes #{issue.iid}",
    }
)
assert request.work_in_progress and request.source_project_id == fork.id, request.attributes

seen = project.mergerequests.get(request.iid)
assert [one.id for one in seen.commits()] == [commit.id]
assert seen.changes()["changes"][0]["new_path"] == "hello.txt"
assert [one.iid for one in seen.closes_issues()] == [issue.iid]
assert len(seen.diffs.list(get_all=True)) == 1
wait_for(lambda: project.mergerequests.get(request.iid).merge_status, "can_be_merged")

# A review: a note that mentions her, an emoji, a label, a todo.
note = seen.notes.create({"body": f"Looks good, @{ann.username}.\n/label ~bug"})
assert note.body == f"Looks good, @{ann.username}.", note.body
assert project.mergerequests.get(request.iid).labels == ["bug"]
seen.awardemojis.create({"name": "thumbsup"})
assert project.mergerequests.get(request.iid).upvotes == 1
todos = her.todos.list(get_all=True)
assert [todo.action_name for todo in todos] == ["mentioned"], [todo.attributes for todo in todos]
todos[0].mark_as_done()
assert her.todos.list(get_all=True) == []

# Nothing is merged before it is ready, and then when its pipeline has succeeded.
try:
    seen.merge()
    raise AssertionError("work in progress was merged")
except gitlab.exceptions.GitlabMRClosedError as error:
    assert error.response_code == 405, error
theirs = her.projects.get(project.id).mergerequests.get(request.iid)
theirs.title = "Greet the world"
theirs.save()
status = {"state": "running", "ref": "greet", "name": "tests"}
mine.commits.get(commit.id).statuses.create(status)
merged = seen.merge(merge_when_pipeline_succeeds=True, should_remove_source_branch=True)
assert merged["state"] == "opened" and merged["merge_when_pipeline_succeeds"], merged
mine.commits.get(commit.id).statuses.create({**status, "state": "success"})
wait_for(lambda: project.mergerequests.get(request.iid).state, "merged")
assert project.files.get("hello.txt", ref="master").decode() == b"Hello, world\n"
wait_for(lambda: project.issues.get(issue.iid).state, "closed")

# Time that was spent. The client keeps what the record told.
issue.add_spent_time("1h30m")
issue = project.issues.get(issue.iid)
assert issue.time_stats()["human_total_time_spent"] == "1h 30m", issue.time_stats()
print("walked")
