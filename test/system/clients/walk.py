"""Walks issues, labels and milestones with python-gitlab: URL and token are the arguments."""

import sys

import gitlab

server = gitlab.Gitlab(sys.argv[1], private_token=sys.argv[2], api_version="4")
server.auth()
assert server.user.username == "root", server.user.username

project = server.projects.create({"name": "Python Walk"})
other = server.projects.create({"name": "Python Walk Elsewhere"})
label = project.labels.create({"name": "bug", "color": "#ff0000"})
milestone = project.milestones.create({"title": "v1", "due_date": "2030-12-24"})
for number in range(3):
    project.issues.create({"title": f"Issue {number}", "labels": ["bug"], "milestone_id": milestone.id})

issues = project.issues.list(labels=["bug"], per_page=2, iterator=True)
assert issues.total == 3, issues.total
assert [issue.iid for issue in issues] == [3, 2, 1]

issue = server.projects.get("root/python-walk").issues.get(1)
issue.state_event = "close"
issue.save()
assert project.issues.get(1).state == "closed"
assert [issue.iid for issue in project.issues.list(state="opened", get_all=True)] == [3, 2]
assert {issue.iid for issue in milestone.issues()} == {1, 2, 3}

issue = project.issues.get(2)
issue.unsubscribe()
issue.move(other.id)
assert other.issues.list(get_all=True)[0].title == "Issue 1"
project.issues.get(3).delete()
try:
    project.issues.get(3)
except gitlab.exceptions.GitlabGetError as error:
    assert error.response_code == 404, error.response_code
else:
    raise AssertionError("a deleted issue was found")
print("walked")
