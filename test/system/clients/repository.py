"""Walks the repository of a project with python-gitlab: URL and token are the arguments."""

import base64
import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import gitlab

url, token = sys.argv[1:3]
server = gitlab.Gitlab(url, private_token=token, api_version="4")


def refused(status, action):
    """The action must be answered with that status."""
    try:
        action()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, error
    else:
        raise AssertionError(f"not refused with {status}")


project = server.projects.create({"name": "Python Repository"})
assert project.default_branch is None

# Commits
first = project.commits.create(
    {
        "branch": "main",
        "commit_message": "First\n\nWith a body",
        "author_name": "Ann",
        "author_email": "ann@example.com",
        "actions": [
            {"action": "create", "file_path": "README.md", "content": "# Read\n"},
            {"action": "create", "file_path": "src/größe.txt", "content": "one\ntwo\nthree\n"},
            {
                "action": "create",
                "file_path": "src/data.bin",
                "encoding": "base64",
                "content": base64.b64encode(bytes(range(256))).decode(),
            },
        ],
    }
)
assert (first.title, first.author_name, first.parent_ids) == ("First", "Ann", [])
assert first.stats["additions"] == 4, first.stats
assert server.projects.get(project.id).default_branch == "main"
second = project.commits.create(
    {
        "branch": "main",
        "commit_message": "Second",
        "actions": [
            {"action": "move", "previous_path": "README.md", "file_path": "docs/README.md", "content": "# Read\n"},
            {"action": "update", "file_path": "src/größe.txt", "content": "one\n2\nthree\n"},
        ],
    }
)
refused(
    400,
    lambda: project.commits.create(
        {"branch": "main", "commit_message": "x", "actions": [{"action": "delete", "file_path": "nowhere"}]}
    ),
)
commits = project.commits.list(ref_name="main", per_page=1, iterator=True)
assert [commit.id for commit in commits] == [second.id, first.id]
assert [commit.id for commit in project.commits.list(query_parameters={"path": "docs"}, get_all=True)] == [second.id]
assert project.commits.get("main").id == second.id
assert project.commits.get(first.short_id).message.rstrip() == "First\n\nWith a body"
diff = project.commits.get(second.id).diff()
assert {(entry["old_path"], entry["new_path"]) for entry in diff} == {
    ("README.md", "docs/README.md"),
    ("src/größe.txt", "src/größe.txt"),
}, diff
assert "-two\n+2\n" in next(entry["diff"] for entry in diff if not entry["renamed_file"])

# Files
file = project.files.create(
    {"file_path": "notes/a b.txt", "branch": "main", "content": "Note\n", "commit_message": "Note it"}
)
assert (file.file_path, file.branch) == ("notes/a b.txt", "main")
file = project.files.get("notes/a b.txt", ref="main")
assert file.decode() == b"Note\n"
file.content = "Noted\n"
file.save(branch="main", commit_message="Note it better")
assert project.files.raw("notes/a b.txt", ref="main") == b"Noted\n"
assert project.files.raw("src/data.bin", ref="main") == bytes(range(256))
refused(404, lambda: project.files.get("notes/none.txt", ref="main"))
project.files.get("notes/a b.txt", ref="main").delete(branch="main", commit_message="Forget it")
refused(404, lambda: project.files.raw("notes/a b.txt", ref="main"))

# Tree, blobs, archive, comparison, contributors
tree = project.repository_tree(ref="main", get_all=True)
assert [(entry["type"], entry["path"]) for entry in tree] == [("tree", "docs"), ("tree", "src")], tree
deep = project.repository_tree(path="src", recursive=True, per_page=1, get_all=True)
assert [entry["name"] for entry in deep] == ["data.bin", "größe.txt"], deep
blob = deep[0]["id"]
assert base64.b64decode(project.repository_blob(blob)["content"]) == bytes(range(256))
assert project.repository_raw_blob(blob) == bytes(range(256))
with tarfile.open(fileobj=io.BytesIO(project.repository_archive(sha="main"))) as archive:
    assert any(name.endswith("/docs/README.md") for name in archive.getnames())
with zipfile.ZipFile(io.BytesIO(project.repository_archive(sha="main", format="zip"))) as archive:
    assert any(name.endswith("/src/größe.txt") for name in archive.namelist())
compared = project.repository_compare(first.id, "main")
assert [commit["title"] for commit in compared["commits"]][0] == "Second"
assert compared["compare_timeout"] is False and compared["compare_same_ref"] is False
people = project.repository_contributors(get_all=True)
assert {person["email"]: person["commits"] for person in people}["ann@example.com"] == 1, people

# Branches
branch = project.branches.create({"branch": "feature/größe.1", "ref": "main"})
refused(400, lambda: project.branches.create({"branch": "feature/größe.1", "ref": "main"}))
assert [one.name for one in project.branches.list(get_all=True)] == ["feature/größe.1", "main"]
assert project.branches.get("main").protected and not project.branches.get("feature/größe.1").protected
at = f"{project.branches.path}/{gitlab.utils.EncodedId('feature/größe.1')}"
assert server.http_put(f"{at}/protect", post_data={"developers_can_push": True})["developers_can_push"]
refused(405, branch.delete)
assert not server.http_put(f"{at}/unprotect")["protected"]
picked = project.commits.create(
    {
        "branch": "feature/größe.1",
        "commit_message": "More",
        "actions": [{"action": "create", "file_path": "more.txt", "content": "more\n"}],
    }
)
picked.cherry_pick(branch="main")
assert project.commits.get("main").title == "More"
refused(400, lambda: picked.cherry_pick(branch="main"))
branch.delete()
refused(404, lambda: project.branches.get("feature/größe.1"))
project.branches.create({"branch": "merged", "ref": "main"})
project.delete_merged_branches()

# Comments
comment = picked.comments.create({"note": "Nice", "path": "more.txt", "line": 1, "line_type": "new"})
assert (comment.note, comment.path, comment.line) == ("Nice", "more.txt", 1)
assert [one.note for one in picked.comments.list()] == ["Nice"]

# Tags and releases
tag = project.tags.create({"tag_name": "v1.0", "ref": "main", "message": "One", "release_description": "Notes"})
assert (tag.message, tag.release["description"]) == ("One", "Notes")
refused(405, lambda: project.tags.create({"tag_name": "v1.0", "ref": "main"}))
at = f"{project.tags.path}/v1.0/release"
assert server.http_put(at, post_data={"description": "More notes"})["description"] == "More notes"
project.tags.create({"tag_name": "light/2", "ref": "main"})
assert server.http_post(f"{project.tags.path}/light%2F2/release", post_data={"description": "2"})["tag_name"] == "light/2"
assert [one.name for one in project.tags.list(get_all=True)] == ["v1.0", "light/2"]
assert project.tags.get("light/2").commit["id"] == project.commits.get("main").id
release = project.releases.get("light/2")
assert (release.name, release.description) == ("light/2", "2")
goal = project.milestones.create({"title": "Third"})
released = project.releases.create(
    {
        "tag_name": "v3",
        "ref": "main",
        "name": "Three",
        "description": "New",
        "milestones": ["Third"],
        "assets": {"links": [{"name": "app", "url": "https://example.org/app", "direct_asset_path": "/app"}]},
    }
)
assert (released.name, released.author["username"]) == ("Three", "root")
assert [one["title"] for one in released.milestones] == ["Third"]
refused(409, lambda: project.releases.create({"tag_name": "v3", "description": "again"}))
link = released.links.create({"name": "manual", "url": "https://example.org/manual", "link_type": "runbook"})
link.name = "handbook"
link.save()
assert [one.name for one in released.links.list(get_all=True)] == ["handbook", "app"]
link.delete()
released = project.releases.get("v3")
released.description = "Newer"
released.save()
assert project.releases.get("v3").description == "Newer"
assert [one.tag_name for one in project.releases.list(get_all=True)][0] == "v3"
project.releases.delete("v3")
project.tags.delete("v3")
goal.delete()
project.tags.delete("light/2")
refused(404, lambda: project.tags.get("light/2"))

# Packages
with tempfile.TemporaryDirectory() as place:
    path = f"{place}/app.bin"
    with open(path, "wb") as content:
        content.write(bytes(range(256)) * 1000)
    published = project.generic_packages.upload("app", "1.0", "app.bin", path)
    assert published.message == "201 Created"
assert project.generic_packages.download("app", "1.0", "app.bin") == bytes(range(256)) * 1000
package = project.packages.list(package_name="APP", get_all=True)[0]
assert (package.name, package.version, package.package_type) == ("app", "1.0", "generic")
assert [file.file_name for file in package.package_files.list(get_all=True)] == ["app.bin"]
package.delete()
refused(404, lambda: project.packages.get(package.id))

# git itself
remote = project.http_url_to_repo.replace("://", f"://root:{token}@")
with tempfile.TemporaryDirectory() as place:
    subprocess.run(["git", "clone", "--quiet", remote, place], check=True)
    head = subprocess.run(["git", "-C", place, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    assert head.stdout.strip() == project.commits.get("main").id
    assert subprocess.run(["git", "-C", place, "tag"], capture_output=True, text=True).stdout == "v1.0\n"

# A copy by its address is refused where that is one of this machine.
refused(400, lambda: server.projects.create({"name": "Copy", "import_url": project.http_url_to_repo}))
project.delete()
print("walked")
