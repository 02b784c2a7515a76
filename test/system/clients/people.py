"""Walks people, groups, members and projects with python-gitlab: URL and token are the arguments."""

import sys

import gitlab

url = sys.argv[1]
server = gitlab.Gitlab(url, private_token=sys.argv[2], api_version="4")
server.auth()

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINcdb+tq3ovF/qjpw4LG77xLwDNlHoIPCYe20G+1GLBi ann@home"


def refused(status, action):
    """The action must be answered with that status."""
    try:
        action()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, error
    else:
        raise AssertionError(f"not refused with {status}")


# People
ann = server.users.create({"email": "ann@example.com", "username": "ann", "name": "Ann", "password": "correct horse"})
bob = server.users.create({"email": "bob@example.com", "username": "bob", "name": "Bob", "password": "correct horse"})
refused(409, lambda: server.users.create({"email": "ann@example.com", "username": "x", "name": "X", "password": "correct horse"}))
assert [user.username for user in server.users.list(search="ann")] == ["ann"]
assert [user.id for user in server.users.list(username="ANN")] == [ann.id]
ann.bio = "Reads"
ann.save()
assert server.users.get(ann.id).bio == "Reads"
key = ann.keys.create({"title": "home", "key": KEY})
assert [one.title for one in ann.keys.list()] == ["home"]
key.delete()
ann.emails.create({"email": "Ann@Work.example"})
assert [one.email for one in ann.emails.list()] == ["ann@work.example"]
token = ann.impersonationtokens.create({"name": "bot", "scopes": ["api"]})
as_ann = gitlab.Gitlab(url, private_token=token.token, api_version="4")
as_ann.auth()
assert as_ann.user.username == "ann"
refused(403, lambda: as_ann.users.create({"email": "c@example.com", "username": "c", "name": "C", "password": "correct horse"}))
assert bob.block() is True
assert [user.username for user in server.users.list(blocked=True)] == ["bob"]
assert bob.unblock() is True

# Groups and members
group = as_ann.groups.create({"name": "Readers", "path": "readers", "visibility": "public"})
inner = as_ann.groups.create({"name": "Inner", "path": "inner", "parent_id": group.id})
assert as_ann.groups.get("readers/inner").parent_id == group.id
assert [one.path for one in as_ann.groups.list(search="inn")] == ["inner"]
member = group.members.create({"user_id": bob.id, "access_level": gitlab.const.AccessLevel.DEVELOPER})
refused(409, lambda: group.members.create({"user_id": bob.id, "access_level": 30}))
member.access_level = gitlab.const.AccessLevel.REPORTER
member.save()
assert {one.username: one.access_level for one in group.members.list()} == {"ann": 50, "bob": 20}
assert [space.path for space in as_ann.namespaces.list(search="read")] == ["readers"]

# Projects
project = as_ann.projects.create({"name": "Book", "namespace_id": group.id, "visibility": "public"})
assert [one.path for one in group.projects.list(search="boo")] == ["book"]
project.description = "Pages"
project.save()
assert server.projects.get("readers/book").description == "Pages"
project.star()
assert as_ann.projects.list(starred=True)[0].star_count == 1
project.unstar()
project.archive()
assert [one.id for one in as_ann.projects.list(archived=True)] == [project.id]
project.unarchive()
other = as_ann.groups.create({"name": "Others", "path": "others"})
project.share(other.id, gitlab.const.AccessLevel.GUEST)
assert as_ann.projects.get(project.id).shared_with_groups[0]["group_id"] == other.id
project.unshare(other.id)
fork = server.projects.get(project.id).forks.create({})
assert server.projects.get(fork.id).forked_from_project["id"] == project.id
assert "created" in [event.action_name for event in project.events.list()]
project.members.create({"user_id": bob.id, "access_level": 40})
assert [one.username for one in project.members.list(query="bo")] == ["bob"]
project.members.delete(bob.id)

# A renamed group is found under its old path.
group.path = "books"
group.save()
assert as_ann.projects.get("books/book").id == project.id

# Settings
settings = server.settings.get()
settings.default_projects_limit = 7
settings.save()
assert server.users.create(
    {"email": "d@example.com", "username": "dora", "name": "D", "password": "correct horse"}
).projects_limit == 7
refused(403, as_ann.settings.get)

# The audit log
log = as_ann.projects.get(project.id).audit_events.list(get_all=True)
assert [event.details["target_details"] for event in log if event.event_name == "member_deleted"] == ["Bob"]
assert project.audit_events.get(log[0].id).entity_id == project.id
assert "member_updated" in [event.event_name for event in group.audit_events.list(get_all=True)]
told = server.audit_events.list(entity_type="User", entity_id=bob.id)
assert [(event.details["from"], event.details["to"]) for event in told if event.event_name == "user_state_changed"] == [
    ("blocked", "active"),
    ("active", "blocked"),
]
assert server.audit_events.get(told[0].id).author_id == server.user.id
refused(403, as_ann.audit_events.list)

project.delete()
refused(404, lambda: as_ann.projects.get(project.id))
inner.delete()
group.delete()
refused(404, lambda: as_ann.groups.get("books"))
ann.delete()
refused(404, lambda: server.users.get(ann.id))
print("walked")
