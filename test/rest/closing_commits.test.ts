// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { referFromCommits } from '#src/domain/tracking/activity/pushed_commits.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
let project: ProjectRow;
let other: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  other = await world.project({ owner, visibility: 'public' });
  await world.member(project, developer, 'developer');
  await commit('First', { branch: 'main' });
  await world.db.protectedBranch.deleteMany({ where: { projectId: project.id } });
});

/** Commits a new file over the API, and waits for the jobs of the push. Gives the hash. */
async function commit(message: string, { branch = 'main', from = '', who = owner as TestUser, to = project } = {}) {
  const path = `/projects/${to.id}/repository`;
  if (from) expect((await world.api(who).post(`${path}/branches`, { branch, ref: from })).status).toBe(201);
  const actions = [{ action: 'create', file_path: world.unique('file'), content: 'text' }];
  const { status, body } = await world.api(who).post(`${path}/commits`, { branch, commit_message: message, actions });
  expect([status, body]).toEqual([201, expect.anything()]);
  await world.idle();
  return body.id as string;
}

const issueOf = async (id: number) => {
  const { state } = await world.db.issue.findUniqueOrThrow({ where: { id } });
  const notes = await world.db.note.findMany({
    where: { subjectType: 'Issue', subjectId: id },
    orderBy: { id: 'asc' },
  });
  return [state, notes.map(({ body }) => body)];
};

describe('A commit that comes to the default branch', () => {
  it('closes the issues that it says it closes, with a note and an event of the pusher', LONG, async () => {
    const [a, b, c] = [
      await world.issue(project, owner),
      await world.issue(project, owner),
      await world.issue(project, owner),
    ];
    const sha = await commit(`Work\n\nFixes #${a.iid} and #${b.iid}. See #${c.iid}.`, { who: developer });
    expect(await issueOf(a.id)).toEqual(['closed', [`closed via commit ${sha}`]]);
    expect(await issueOf(b.id)).toEqual(['closed', [`closed via commit ${sha}`]]);
    expect(await issueOf(c.id)).toEqual(['opened', [`mentioned in commit ${sha}`]]);
    const events = await world.db.event.findMany({ where: { targetType: 'Issue', targetId: a.id, action: 'closed' } });
    expect(events).toMatchObject([{ authorId: developer.id }]);
  });

  it('closes each issue once, whatever happens to the job or the issue', LONG, async () => {
    const issue = await world.issue(project, owner);
    const before = await world.repositories.open(project);
    const from = (await before?.branch('main'))?.commit ?? '';
    const sha = await commit(`Closes #${issue.iid}`);
    const job = { projectId: project.id, userId: owner.id, branch: 'main', from, to: sha };
    await Promise.all([referFromCommits(world, job), referFromCommits(world, job)]);
    await world.api(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { state_event: 'reopen' });
    await referFromCommits(world, job);
    expect(await issueOf(issue.id)).toEqual(['opened', [`closed via commit ${sha}`, 'reopened']]);
  });

  it('closes issues of other projects where the pusher may', LONG, async () => {
    const [mine, theirs] = [await world.issue(other, owner), await world.issue(other, owner)];
    const sha = await commit(`Closes ${other.fullPath}#${mine.iid}`);
    expect(await issueOf(mine.id)).toEqual(['closed', [`closed via commit ${project.fullPath}@${sha}`]]);
    const by = await commit(`Closes ${other.fullPath}#${theirs.iid}`, { who: developer });
    expect(await issueOf(theirs.id)).toEqual(['opened', []]);
    expect(by).not.toBe(sha);
  });

  it('neither closes nor notes what the pusher does not see', async () => {
    const hidden = await world.project({ owner });
    const issue = await world.issue(hidden, owner);
    await commit(`Closes ${hidden.fullPath}#${issue.iid}, see ${hidden.fullPath}#${issue.iid}`, { who: developer });
    expect(await issueOf(issue.id)).toEqual(['opened', []]);
  });
});

describe('A commit on another branch', () => {
  it('mentions what it would close, which closes when it is brought to the default branch', LONG, async () => {
    const issue = await world.issue(project, owner);
    const sha = await commit(`Closes #${issue.iid}`, { branch: 'topic', from: 'main' });
    expect(await issueOf(issue.id)).toEqual(['opened', [`mentioned in commit ${sha}`]]);
    const picked = await world
      .api(owner)
      .post(`/projects/${project.id}/repository/commits/${sha}/cherry_pick`, { branch: 'main' });
    expect(picked.status).toBe(201);
    await world.idle();
    const [state] = await issueOf(issue.id);
    expect(state).toBe('closed');
  });
});

describe('The first push of a repository', () => {
  it('closes nothing, as it brings history from elsewhere', async () => {
    const fresh = await world.project({ owner });
    const issue = await world.issue(fresh, owner);
    await commit(`Closes #${issue.iid}`, { to: fresh });
    expect(await issueOf(issue.id)).toEqual(['opened', []]);
  });
});
