// What GitKraken does with a project: it lists and shows merge requests and issues, comments, asks for reviews, and merges.
import assert from 'node:assert/strict';
import { GitLab } from '@gitkraken/provider-apis/providers';

const [baseUrl, token, fullPath, number, user] = process.argv.slice(2);
const refused = [];
const client = new GitLab({
  token,
  baseUrl,
  forceIsFetch: true,
  request: async (url, options) => {
    const answer = await fetch(url, options);
    const body = await answer
      .clone()
      .json()
      .catch(() => null);
    if (body?.errors) refused.push(body.errors[0].message);
    return answer;
  },
});
const namespace = fullPath.split('/').slice(0, -1).join('/');
const repo = { namespace, name: fullPath.split('/').at(-1) };

const { data: self } = await client.getCurrentUser();
assert.equal(self.username, user);
assert.equal((await client.getAccountForUsername({ username: user })).data.id, self.id);
const { data: found } = await client.getRepo(repo);
assert.equal(found.name, repo.name);
const batch = await client.getRepos([repo, { namespace, name: 'none-of-this-name' }]);
assert.deepEqual([batch.data.length, batch.errors.length], [1, 1]);
const { data: mine } = await client.getReposForCurrentUser({});
assert.ok(mine.some(({ id }) => id === found.id));
await client.getAccountsForRepo({ repo });

const { data: listed } = await client.getPullRequestsForRepo({ repo });
const shown = listed.find((one) => String(one.number) === number);
assert.equal(shown.title, 'Carrots');
const { data: authored } = await client.getPullRequestsForUser({ username: user, association: 'authored' });
assert.ok(authored.some(({ id }) => id === shown.id));
const { data: pullRequest } = await client.getPullRequestForRepo({ repo, number: Number(number) });
assert.equal(pullRequest.id, shown.id);

const { data: labels } = await client.getLabelsForRepo({ repo });
await client.setPullRequestLabels({ pullRequest, labels: labels.slice(0, 1) });
const { data: milestones } = await client.getMilestonesForRepo({ repo });
await client.setPullRequestMilestone({ pullRequest, milestone: milestones[0] });
await client.setPullRequestAssignees({ pullRequest, assignees: [self] });
await client.setPullRequestReviewers({ pullRequest, reviewers: [self] });
await client.setPullRequestAsDraft({ pullRequest, isDraft: true });
await client.setPullRequestAsDraft({ pullRequest, isDraft: false });

const { data: issues } = await client.getIssuesForRepo({ repo });
const issue = issues.find(({ title }) => title === 'Water the plants');
await client.setIssueAssignees({ issue, assignees: [self] });
await client.closeIssue({ issue });
await client.reOpenIssue({ issue });

assert.deepEqual(refused, []);
await client.mergePullRequest({ pullRequest });
process.stdout.write('walked\n');
