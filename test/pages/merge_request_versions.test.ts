import { expect, it } from 'vitest';
import { startCommittingWorld } from '../support/commits.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, reporter, filled, committed } = await startCommittingWorld();

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join('');

/** A merge request of two versions, the second of which changes the third line as well, and a file of its own; a thread on each. */
async function twoVersions() {
  const { project, at } = await filled([
    { action: 'create', file_path: 'a.txt', content: text('one', 'two', 'three', 'four', 'five', 'six') },
  ]);
  await world.api(owner).post(`${at}/branches`, { branch: 'topic', ref: 'master' });
  const branch = { branch: 'topic' };
  const change = (...lines: string[]) => ({ action: 'update', file_path: 'a.txt', content: text(...lines) });
  const { id: first } = await committed(at, [change('one', 'ZWEI', 'three', 'four', 'five', 'six')], branch);
  const asked = { source_branch: 'topic', target_branch: 'master', title: 'Twice' };
  const { body } = await world.api(owner).post(`/projects/${project.id}/merge_requests`, asked);
  const api = `/projects/${project.id}/merge_requests/${body.iid}`;
  const begin = async (note: string, new_line: number) => {
    const { base_sha, start_sha, head_sha } = (await world.api(owner).get(api)).body.diff_refs;
    const position = { base_sha, start_sha, head_sha, position_type: 'text', new_path: 'a.txt', new_line };
    const { status } = await world.api(owner).post(`${api}/discussions`, { body: note, position });
    expect(status).toBe(201);
  };
  await begin('About the third', 3);
  const added = { action: 'create', file_path: 'b.txt', content: text('b') };
  const { id: second } = await committed(at, [change('one', 'ZWEI', 'DREI', 'four', 'five', 'six'), added], branch);
  await world.idle();
  await begin('About the new third', 3);
  const address = `/${project.fullPath}/-/merge_requests/${body.iid}/diffs`;
  return { project, iid: body.iid, api, address, first, second };
}

it('shows what came from one version to another, with the threads of both where they fit', async () => {
  const { address, first, second, api } = await twoVersions();
  const browser = await signedIn(world, owner);
  await browser.get(address);
  expect(browser.page).toMatch(new RegExp(`<option value="${first}">\\s*Version 1 · ${first.slice(0, 8)}`));
  const lines = async (query: string) => {
    await browser.get(address + query);
    expect(browser.answer.status).toBe(200);
    const found = browser.page.matchAll(/<td class="([ar])">(.*?)<\/td>/g);
    return [...found].map(([, kind, html]) => `${kind} ${html?.replace(/<[^>]*>/g, '')}`);
  };
  expect(await lines('')).toEqual(['r two', 'r three', 'a ZWEI', 'a DREI', 'a b']);
  // As the form sends it, and as links of other tools have it.
  for (const query of [`?start_sha=${first}&diff_id=`, `?start_sha=${first}`]) {
    expect(await lines(query)).toEqual(['r three', 'a DREI', 'a b']);
  }
  expect(browser.page).toContain('These are the changes from Version 1 to Latest version');
  expect(browser.page).not.toContain('#form');
  expect(browser.page).toMatch(
    /<td class="r">[^\n]*three[\s\S]*About the third[\s\S]*<td class="a">[^\n]*DREI[\s\S]*About the new third/,
  );
  const { body: versions } = await world.api(owner).get(`${api}/versions`);
  const [newest, oldest] = versions.map(({ id }: { id: number }) => id);
  expect(await lines(`?start_sha=${first}&diff_id=${newest}`)).toEqual(['r three', 'a DREI', 'a b']);
  expect(await lines(`?diff_id=${oldest}`)).toEqual(['r two', 'a ZWEI']);
  expect(await lines(`?diff_id=${oldest}&start_sha=${second}`)).toEqual(['r DREI', 'a three', 'r b']);
  // What is no head of a version is compared with nothing.
  expect(await lines(`?start_sha=${'0'.repeat(40)}&diff_id=${oldest}`)).toEqual(['r two', 'a ZWEI']);
});

it('compares versions in the graph, of one merge request alone, for those who may read it', LONG, async () => {
  const { project, iid, first } = await twoVersions();
  const other = await twoVersions();
  const query = `query ($project: ProjectRef!, $iid: Int!, $since: Sha!) { project(ref: $project) { mergeRequest(iid: $iid) {
    versions { nodes { fileDiffs(since: $since) { totalCount nodes { newPath additions } } } } } } }`;
  const ask = async (since: string, who = owner) =>
    (await world.graphql(query, { project: project.fullPath, iid, since }, who)).body;
  const { data } = await ask(first, reporter);
  expect(data.project?.mergeRequest.versions.nodes).toEqual([
    {
      fileDiffs: {
        totalCount: 2,
        nodes: [
          { newPath: 'a.txt', additions: 1 },
          { newPath: 'b.txt', additions: 1 },
        ],
      },
    },
    { fileDiffs: { totalCount: 0, nodes: [] } },
  ]);
  const refused = await ask(other.first === first ? other.second : other.first);
  const codes = refused.errors.map((one: { extensions: { code: string } }) => one.extensions.code);
  expect(new Set(codes)).toEqual(new Set(['NOT_FOUND']));
  expect((await ask(first, await world.user())).data.project).toBeNull();
});
