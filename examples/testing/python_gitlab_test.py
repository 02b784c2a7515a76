"""Tests of a program that uses python-gitlab. Run them with: python3 -m unittest python_gitlab_test.py"""

import json
import subprocess
import unittest

import gitlab


class Gantry:
    """A server with sample data, which obeys lines on its standard input and answers with lines of JSON."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["npx", "gantry", "serve", "--ephemeral", "--seed", "--control"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        started = self.answer()
        self.url, self.tokens = started["url"], started["tokens"]

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("The server has ended")
        return json.loads(line)

    def reset(self):
        self.process.stdin.write("reset\n")
        self.answer()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class IssuesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gantry = Gantry()
        cls.addClassCleanup(cls.gantry.stop)

    def setUp(self):
        self.addCleanup(self.gantry.reset)
        client = gitlab.Gitlab(self.gantry.url, private_token=self.gantry.tokens["ada"])
        self.project = client.projects.get("orchard/apples")

    def test_an_issue_can_be_closed(self):
        issue = self.project.issues.get(10)
        issue.state_event = "close"
        issue.save()
        self.assertEqual(self.project.issues.get(10).state, "closed")

    def test_and_is_open_in_any_other_test(self):
        self.assertEqual(self.project.issues.get(10).state, "opened")
        self.assertEqual([tag.name for tag in self.project.tags.list(get_all=True)], ["v1.1.0", "v1.0.0", "v0.1.0"])


if __name__ == "__main__":
    unittest.main()
