// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { clone, commitFile, gitClient, run } from '../support/git_client.ts';
import { remotes } from '../support/git_remote.ts';
import { LONG } from '../support/long.ts';
import { registerRunner } from '../support/runner.ts';
import { startRunnerWorld } from '../support/runner_world.ts';
import { sshGit, startSshWorld } from '../support/ssh.ts';
import type { TestUser } from '../support/world.ts';

const { world, owner } = await startRunnerWorld();
const ssh = await startSshWorld(world);
const key = await ssh.key(owner);
const { address, pushed } = remotes(world, owner);

/** A project with a commit on `main`, and a commit on the branch `topic` of a working copy. */
async function stage(message = 'Add a topic') {
  const { project, work } = await pushed();
  await run(work, 'checkout', '--quiet', '-b', 'topic');
  await commitFile(work, 'topic.txt', 'topic\n');
  await run(work, 'commit', '--quiet', '--amend', '-m', message);
  const at = `/projects/${project.id}/merge_requests`;
  const push = (...args: string[]) => gitClient(work, 'push', 'origin', ...args);
  const list = async (as: TestUser = owner) => (await world.api(as).get(at)).body;
  return { project, work, at, push, list };
}

const options = (...words: string[]) => words.flatMap((word) => ['-o', word]);

describe('What the server prints after a push', () => {
  it('is where to open a merge request for a branch', async () => {
    const { project, push } = await stage();
    const first = await push('topic');
    const url = `${world.url}/${project.fullPath}/-/merge_requests/new?merge_request%5Bsource_branch%5D=topic`;
    expect(first.said).toMatch(/remote: To create a merge request for topic, visit:\s+remote: {3}(\S+)/);
    expect(first.said).toContain(url);
  });

  it('names the open merge request, over SSH too', async () => {
    const { project, work, at, push } = await stage();
    await push('topic');
    const { body } = await world.api(owner).post(at, { source_branch: 'topic', target_branch: 'main', title: 'One' });
    await commitFile(work, 'more.txt', 'more\n');
    const { said } = await sshGit(key, work, 'push', ssh.url(project), 'topic');
    expect(said).toContain('remote: View merge request for topic:');
    expect(said).toContain(`${world.url}/${project.fullPath}/-/merge_requests/${body.iid}`);
  });

  it('is nothing for the default branch, tags, deletions, many branches, and projects without merge requests', async () => {
    const { project, work, push } = await stage();
    await run(work, 'tag', 'v1');
    expect((await push('main', 'v1')).said).not.toContain('remote:');
    await push('topic');
    expect((await push(':topic')).said).not.toContain('remote:');
    const many = Array.from({ length: 6 }, (_none, at) => `topic:topic-${at}`);
    expect((await push(...many)).said).not.toContain('remote:');
    await world.api(owner).put(`/projects/${project.id}`, { merge_requests_enabled: false });
    expect((await push('topic')).said).not.toContain('remote:');
  });
});

describe('The push options of merge requests', () => {
  it('open one, with what they say of it', LONG, async () => {
    const { project, push, list, at } = await stage('Add a topic\n\nIt is long.');
    await world.api(owner).post(`/projects/${project.id}/milestones`, { title: '1.0' });
    const other = await world.user();
    await world.member(project, other, 'developer');
    const words = ['create', 'title=Better', 'description=One\\nTwo', 'draft', 'milestone=1.0', 'label=a', 'label=b'];
    const more = [`assign=${other.username}`, 'remove_source_branch', 'squash', 'target=main'];
    const { code, said } = await push(
      'topic',
      ...options(...[...words, ...more].map((word) => `merge_request.${word}`)),
    );
    expect([code, said]).toEqual([0, expect.stringContaining('View merge request for topic:')]);
    const [record, ...none] = await list();
    expect(none).toEqual([]);
    expect(record).toMatchObject({
      title: 'Draft: Better',
      description: 'One\nTwo',
      milestone: { title: '1.0' },
      labels: ['a', 'b'],
      assignee: { id: other.id },
      author: { id: owner.id },
      force_remove_source_branch: true,
      squash: true,
      target_branch: 'main',
    });
    expect(said).toContain(`${at.replace(/^\/projects\/\d+/, `${project.fullPath}/-`)}/${record.iid}`);
  });

  it('take title and description of the last commit, and the pusher as assignee, over SSH too', async () => {
    const { project, work, list } = await stage('Add a topic\n\nIt is long.');
    const { said } = await sshGit(key, work, 'push', ...options('mr.create'), ssh.url(project), 'topic');
    expect(said).toContain('View merge request for topic:');
    expect(await list()).toMatchObject([
      { title: 'Add a topic', description: 'It is long.', assignee: { id: owner.id }, target_branch: 'main' },
    ]);
  });

  it('update the open one of the branch, and open no second', LONG, async () => {
    const { work, push, list } = await stage();
    await push('topic', ...options('merge_request.create', 'merge_request.label=a', 'merge_request.label=b'));
    await commitFile(work, 'more.txt', 'more\n');
    const words = ['create', 'title=Other', 'unlabel=a', 'label=c', `unassign=${owner.id}`];
    await push('topic', ...options(...words.map((word) => `merge_request.${word}`)));
    const listed = await list();
    expect(listed).toMatchObject([{ title: 'Other', labels: ['b', 'c'], assignee: null }]);
  });

  it('say what is wrong, and the push stands', LONG, async () => {
    const { work, push, list } = await stage();
    const missing = await push('topic', ...options('merge_request.label=a'));
    expect(missing.code).toBe(0);
    expect(missing.said).toContain('remote: WARNINGS:');
    expect(missing.said).toContain(
      "Error encountered with push options 'merge_request.label=a': A merge_request.create push option is required to create a merge request for branch topic",
    );
    await commitFile(work, 'more.txt', 'more\n');
    const wrong = await push('topic', ...options('merge_request.create', 'merge_request.target=nowhere', 'what.ever'));
    expect(wrong.code).toBe(0);
    expect(wrong.said).toContain('target_branch does not exist');
    expect(wrong.said).toContain("The push option 'what.ever' is not supported, and was ignored");
    expect(await list()).toEqual([]);
  });

  it('do nothing if the ref was not changed, or is the default branch', async () => {
    const { project, work, list } = await stage();
    const developer = await world.user();
    await world.member(project, developer, 'developer');
    await run(work, 'checkout', '--quiet', 'main');
    await commitFile(work, 'more.txt', 'more\n');
    const { code } = await gitClient(work, 'push', address(project, developer), 'main', ...options('mr.create'));
    expect(code).toBe(1);
    await run(work, 'push', 'origin', 'main', ...options('mr.create'));
    expect(await list()).toEqual([]);
  });

  it('need the rights of the commands: who may not set labels in the target project is told so', LONG, async () => {
    const { project: target } = await pushed('public');
    const forker = await world.user();
    const { body: fork } = await world.api(forker).post(`/projects/${target.id}/fork`);
    await world.idle();
    const work = await clone(`${world.url.replace('://', `://x:${forker.token}@`)}/${fork.path_with_namespace}.git`);
    await commitFile(work, 'topic.txt', 'topic\n');
    const into = ['merge_request.create', `merge_request.target_project=${target.fullPath}`];
    const refused = await gitClient(work, 'push', 'origin', 'HEAD:topic', ...options(...into, 'merge_request.label=x'));
    expect(refused.said).toMatch(/WARNINGS:\s[\s\S]*reporters/);
    const at = `/projects/${target.id}/merge_requests`;
    expect((await world.api(owner).get(at)).body).toEqual([]);
    await commitFile(work, 'more.txt', 'more\n');
    const made = await gitClient(work, 'push', 'origin', 'HEAD:topic', ...options(...into));
    expect(made.said).toContain(`${world.url}/${target.fullPath}/-/merge_requests/`);
    expect((await world.api(owner).get(at)).body).toMatchObject([
      { source_branch: 'topic', source_project_id: fork.id, author: { id: forker.id }, assignee: null },
    ]);
  });

  it('are not for deploy keys, and not for more than ten branches', LONG, async () => {
    const { project, work, push, list } = await stage();
    const deployKey = await ssh.deployKey(owner, project, true);
    const byKey = await sshGit(deployKey, work, 'push', ...options('mr.create'), ssh.url(project), 'topic');
    expect([byKey.code, byKey.said]).toEqual([0, expect.stringContaining('deploy keys cannot change merge requests')]);
    const many = Array.from({ length: 11 }, (_none, at) => `topic:topic-${at}`);
    const { said } = await push(...many, ...options('mr.create'));
    expect(said).toContain('Too many branches pushed (11 were pushed, limit is 10)');
    expect(await list()).toEqual([]);
  });

  it('are limited to a hundred', async () => {
    const { push } = await stage();
    const { code, said } = await push('topic', ...options(...Array.from({ length: 101 }, (_none, at) => `x${at}`)));
    expect([code, said]).toEqual([1, expect.stringContaining('400')]);
  });
});

describe('The push options of pipelines', () => {
  const CONFIG = 'build: { script: echo }\nreview: { script: echo, only: [merge_requests] }\n';

  async function withConfig() {
    const staged = await stage();
    await commitFile(staged.work, '.gitlab-ci.yml', CONFIG);
    const pipelines = async () => (await world.api(owner).get(`/projects/${staged.project.id}/pipelines`)).body;
    return { ...staged, pipelines };
  }

  it('skip those of branches, not those of merge requests', LONG, async () => {
    const { push, pipelines } = await withConfig();
    await push('topic', ...options('ci.skip', 'merge_request.create'));
    await world.idle();
    const listed = await pipelines();
    const found = listed.map(({ source, status }: { source: string; status: string }) => `${source} ${status}`);
    expect(found.sort()).toEqual(['merge_request_event pending', 'push skipped']);
  });

  it('give variables to the jobs of the branch, over SSH too', LONG, async () => {
    const { project, work } = await withConfig();
    const runner = await registerRunner(world, project);
    const words = options('ci.variable=PLACE=here=there', 'ci.variable=wrong', 'ci.variable=EMPTY=');
    const { said } = await sshGit(key, work, 'push', ...words, ssh.url(project), 'topic');
    expect(said).toContain("The push option 'ci.variable=wrong' is not supported, and was ignored");
    await world.idle();
    const { body: job } = await runner.request();
    const given = job.variables.filter(({ key }: { key: string }) => ['PLACE', 'EMPTY'].includes(key));
    expect(given).toMatchObject([
      { key: 'PLACE', value: 'here=there' },
      { key: 'EMPTY', value: '' },
    ]);
  });

  it('leave a merge request to be merged when its pipeline succeeds', LONG, async () => {
    const { work, push, list } = await withConfig();
    await push('topic', ...options('merge_request.create', 'merge_request.merge_when_pipeline_succeeds'));
    await world.idle();
    expect(await list()).toMatchObject([{ state: 'opened', merge_when_pipeline_succeeds: true }]);
    await commitFile(work, 'more.txt', 'more\n');
    await push('topic', ...options('merge_request.auto_merge'));
    await world.idle();
    expect(await list()).toMatchObject([{ state: 'opened', merge_when_pipeline_succeeds: true }]);
  });
});
