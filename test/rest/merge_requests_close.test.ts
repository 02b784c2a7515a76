// Each test takes long: the long run has them all.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { issuesClosedBy } from '#src/domain/tracking/merge_requests/closes_issues.ts';
import { git } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const guest = await world.user();

/** A project with a merge request of a developer that says it closes issues, and a project elsewhere with one more. */
async function stage(description: string, targetBranch = 'master') {
  const project = await world.project({ owner, visibility: 'public' });
  await world.member(project, developer, 'developer');
  await withTopic(world, project, owner);
  const issues = [
    await world.issue(project, owner, { title: 'first' }),
    await world.issue(project, owner, { title: 'secret', confidential: true }),
    await world.issue(project, owner, { title: 'third' }),
  ];
  const { iid } = await opened(world, project, developer, { description, targetBranch });
  const at = `/projects/${project.id}`;
  const states = async () => {
    const { body } = await world.api(owner).get(`${at}/issues?order_by=created_at&sort=asc`);
    return body.map(({ state }: Json) => state);
  };
  const merge = () => world.api(owner).put(`${at}/merge_requests/${iid}/merge`);
  const closes = async (who = owner) => (await world.api(who).get(`${at}/merge_requests/${iid}/closes_issues`)).body;
  return { project, issues, iid, at, states, merge, closes };
}

describe('GET /projects/:id/merge_requests/:iid/closes_issues', () => {
  it('lists the issues that the description, the title or commits say it closes, in pages', async () => {
    const { project, at, iid, closes } = await stage('Closes #1 and #2');
    await commitTo(world, project, developer, 'topic', 'd.txt', 'd');
    await world.db.issue.updateMany({ data: { title: 'renamed' }, where: { projectId: project.id, iid: 3 } });
    await world.api(developer).put(`${at}/merge_requests/${iid}`, { title: 'Fixes #3' });
    expect((await closes()).map(({ iid }: Json) => iid)).toEqual([1, 2, 3]);
    const { headers, body } = await world.api(owner).get(`${at}/merge_requests/${iid}/closes_issues?per_page=2&page=2`);
    expect([headers['x-total'], body.map(({ title }: Json) => title)]).toEqual(['3', ['renamed']]);
  });

  it('lists and counts an issue once, whatever names it', async () => {
    const { project, at, iid, issues, merge } = await stage('Closes #3, #1 and #1');
    const full = project.fullPath;
    const names = ['#1', `${full}#1`, `${full.toUpperCase()}#1`, `${full.split('/')[1]}#1`, 'issue #1', '#01'];
    await commitTo(world, project, developer, 'topic', 'd.txt', 'd');
    await world.api(developer).put(`${at}/merge_requests/${iid}`, {
      title: `Fixes ${names.join(', ')}`,
      description: `Closes #3\n\n${names.map((name) => `Resolves ${name}`).join('\n')}`,
    });
    const page = `${at}/merge_requests/${iid}/closes_issues`;
    const { headers, body } = await world.api(owner).get(page);
    expect([headers['x-total'], headers['x-total-pages']]).toEqual(['2', '1']);
    expect(body.map(({ id }: Json) => id)).toEqual([issues[0]?.id, issues[2]?.id]);
    const second = await world.api(owner).get(`${page}?per_page=1&page=2`);
    expect([second.headers['x-total'], second.body.map(({ iid }: Json) => iid)]).toEqual(['2', [3]]);
    const query = `query ($id: ProjectRef!, $iid: Int!) { project(ref: $id) { mergeRequest(iid: $iid) {
      closesIssues { totalCount nodes { iid } } } } }`;
    const shown = await world.graphql(query, { id: String(project.id), iid }, owner);
    expect(shown.body.data.project.mergeRequest.closesIssues).toEqual({
      totalCount: 2,
      nodes: [{ iid: 1 }, { iid: 3 }],
    });
    await merge();
    const message = git(world.repositories.directory(project), ['log', '-1', '--format=%B', 'master']);
    expect(message).toContain('\n\nCloses #1 and #3\n\n');
  });

  it('finds an issue that the oldest of a hundred commits names, behind others that all name another', async () => {
    const project = await world.project({ owner });
    for (let n = 1; n <= 3; n += 1) await world.issue(project, owner);
    const texts = { title: 'Closes #1', description: null, targetBranch: 'master' };
    const message = `Closes #1, ${project.fullPath}#1`;
    const messages = [...Array(99).fill({ message }), { message: 'Closes #3' }];
    const place = { fullPath: project.fullPath, defaultBranch: 'master' };
    const closed = await issuesClosedBy(world.db, owner.actor, { ...texts, project: place }, async (limit) => {
      return messages.slice(0, limit);
    });
    expect(closed.map(({ iid }) => iid)).toEqual([1, 3]);
  });

  it('leaves out what the caller cannot see, and counts it to nobody', async () => {
    const { at, iid } = await stage('Closes #1 and #2');
    const { headers, body } = await world.api(guest).get(`${at}/merge_requests/${iid}/closes_issues`);
    expect([headers['x-total'], body.map(({ iid }: Json) => iid)]).toEqual(['1', [1]]);
  });

  it('is empty where the target is not the default branch', async () => {
    const project = await stage('Closes #1');
    await world.api(owner).post(`${project.at}/repository/branches`, { branch: 'other', ref: 'master' });
    await world.api(developer).put(`${project.at}/merge_requests/${project.iid}`, { target_branch: 'other' });
    expect(await project.closes()).toEqual([]);
    await project.merge();
    await world.idle();
    expect(await project.states()).toEqual(['opened', 'opened', 'opened']);
  });
});

describe('Merging', () => {
  it('closes these issues before it answers, once, and names them in the message', async () => {
    const { project, at, iid, states, merge } = await stage('Closes #1, #3');
    expect((await merge()).body.state).toBe('merged');
    expect(await states()).toEqual(['closed', 'opened', 'closed']);
    await world.idle();
    const message = git(world.repositories.directory(project), ['log', '-1', '--format=%B', 'master']);
    expect(message).toContain('\n\nCloses #1 and #3\n\nSee merge request !');
    const notes = (await world.api(owner).get(`${at}/issues/1/notes`)).body.map(({ body }: Json) => body);
    expect(notes.filter((body: string) => body.startsWith('closed via')).length).toBe(1);
    await world.api(owner).put(`${at}/issues/1`, { state_event: 'reopen' });
    await world.handlers()['merge_requests.merged'](
      {
        mergeRequestId: (await world.db.mergeRequest.findFirstOrThrow({ where: { targetProjectId: project.id, iid } }))
          .id,
        userId: owner.id,
      },
      world.as(owner).jobs,
    );
    expect(await states()).toEqual(['opened', 'opened', 'closed']);
  });

  it('closes nothing that the user who merges may not close', async () => {
    const other = await world.project({ owner, visibility: 'public' });
    const elsewhere = await world.issue(other, owner, { title: 'elsewhere' });
    const { project, merge } = await stage(`Closes ${other.fullPath}#${elsewhere.iid}`);
    await world
      .api(owner)
      .put(`/projects/${project.id}/repository/branches/master/protect`, { developers_can_merge: true });
    const { iid } = await world.db.mergeRequest.findFirstOrThrow({ where: { targetProjectId: project.id } });
    expect((await world.api(developer).put(`/projects/${project.id}/merge_requests/${iid}/merge`)).status).toBe(200);
    await world.idle();
    expect((await world.api(owner).get(`/projects/${other.id}/issues/${elsewhere.iid}`)).body.state).toBe('opened');
    expect((await merge()).status).toBe(405);
  });
});
