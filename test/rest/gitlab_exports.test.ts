import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../support/git_client.ts';
import { GITLAB_PROJECT, GITLAB_RELATIONS, unknownTo } from '../support/gitlab_relations.ts';
import type { Json } from '../support/http.ts';
import { download, imported, richProject, unpacked } from '../support/project_archives.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const owner = await world.user();
const developer = await world.user();

/** The archive of a project in the format of GitLab. */
async function exportedForGitLab(who: TestUser, id: number): Promise<Buffer> {
  const api = world.api(who);
  expect((await api.post(`/projects/${id}/export`, { format: 'gitlab' })).status).toBe(202);
  let state: Json;
  await world.until(async () => {
    state = (await api.get(`/projects/${id}/export`)).body;
    return ['finished', 'failed'].includes(state.export_status);
  }, 60_000);
  expect(state).toMatchObject({ export_status: 'finished' });
  return Buffer.from(await (await download(world, who, id)).arrayBuffer());
}

const lines = (file: string): Json[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const project = await richProject(world, { owner, developer });
const archive = await exportedForGitLab(owner, project.id);
const directory = unpacked(archive);
const tree = path.join(directory, 'tree/project');

describe('An export in the format of GitLab', () => {
  it('has the relations and attributes that GitLab reads, and no others', () => {
    const unknown = new Set<string>();
    const empty: string[] = [];
    for (const file of readdirSync(tree)) {
      const relation = path.basename(file, '.ndjson');
      const records = lines(path.join(tree, file));
      if (records.length === 0) empty.push(relation);
      for (const record of records)
        for (const name of unknownTo(GITLAB_RELATIONS[relation], record, relation)) unknown.add(name);
    }
    expect([...unknown]).toEqual([]);
    // So that none of them is right because nothing is in it.
    expect(empty).toEqual([]);
    const head = JSON.parse(readFileSync(path.join(directory, 'tree/project.json'), 'utf8'));
    expect(Object.keys(head).filter((name) => !GITLAB_PROJECT.includes(name))).toEqual([]);
    expect(readFileSync(path.join(directory, 'VERSION'), 'utf8')).toBe('0.2.4');
  });

  it('gives every milestone a number of its own', () => {
    const numbers = lines(path.join(tree, 'milestones.ndjson')).map(({ iid }) => iid);
    expect(numbers).toHaveLength(2);
    expect(new Set(numbers).size).toBe(2);
  });

  it('has the changes and commits of merge requests, which GitLab shows from the archive', () => {
    const [request] = lines(path.join(tree, 'merge_requests.ndjson'));
    expect(request.merge_request_diff).toMatchObject({
      commits_count: 2,
      files_count: 2,
      merge_request_diff_commits: [
        { relative_order: 0, message: expect.any(String), author_name: expect.any(String) },
        { relative_order: 1 },
      ],
      merge_request_diff_files: [
        { new_path: 'a.txt', utf8_diff: expect.stringContaining('\n-two\n+TWO\n') },
        { new_path: 'b.txt', new_file: true },
      ],
    });
  });

  it('has repositories that git clones', async () => {
    for (const name of ['project.bundle', 'project.wiki.bundle'])
      expect(await run(directory, 'bundle', 'list-heads', name)).toMatch(/refs\/heads\/.+\n.* HEAD/s);
  });

  it('has no address of others, nor their secrets', () => {
    const text = readdirSync(tree).map((file) => readFileSync(path.join(tree, file), 'utf8'));
    expect(text.join('\n')).not.toMatch(/token|password|encrypted/i);
    // Commits have those that git has.
    const people = ['project_members', 'user_contributions'].flatMap((name) =>
      lines(path.join(tree, `${name}.ndjson`)),
    );
    const addresses = people.map((one) => (one.user ?? one).public_email);
    expect(new Set(addresses)).toEqual(new Set([null]));
  });

  it('becomes the same project here', async () => {
    const record = await imported(world, admin, { archive, path: world.unique('again') });
    expect(record).toMatchObject({ import_status: 'finished', import_type: 'gitlab_project', import_error: null });
    const lists = ['labels', 'issues', 'merge_requests', 'releases', 'protected_branches', 'badges'];
    for (const list of lists) {
      const count = async (id: number) => (await world.api(admin).get(`/projects/${id}/${list}`)).body.length;
      expect([list, await count(record.id)]).toEqual([list, await count(project.id)]);
    }
  });
});

describe('The format of an export', () => {
  it('is one of those that there are, and Gantry’s own if none is given', async () => {
    const api = world.api(owner);
    const wrong = await api.post(`/projects/${project.id}/export`, { format: 'zip' });
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([400, expect.stringContaining('format')]);
    expect((await api.post(`/projects/${project.id}/export`)).status).toBe(202);
    await world.idle();
    const own = unpacked(Buffer.from(await (await download(world, owner, project.id)).arrayBuffer()));
    expect(readdirSync(own)).toContain('version.json');
  });

  it('gives nobody more than masters have', async () => {
    const before = (await world.api(developer).get('/user')).status;
    expect(before).toBe(200);
    expect((await world.api(developer).post(`/projects/${project.id}/export`, { format: 'gitlab' })).status).toBe(403);
    expect((await world.api().post(`/projects/${project.id}/export`, { format: 'gitlab' })).status).toBe(401);
  });
});
