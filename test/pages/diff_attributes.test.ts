import { expect, it } from 'vitest';
import { startCommittingWorld } from '../support/commits.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, reporter, filled, committed } = await startCommittingWorld();

const create = (file_path: string, content: string) => ({ action: 'create', file_path, content });

it('files that .gitattributes says are generated, or not to be shown, are folded, and REST says so', async () => {
  const rules = '*.made linguist-generated\n*.svg -diff\npackage-lock.json -linguist-generated\n';
  const { project, at } = await filled([create('.gitattributes', rules)]);
  const files = ['a.made', 'a.svg', 'package-lock.json', 'yarn.lock', 'a.txt'].map((name) => create(name, `${name}\n`));
  const { id } = await committed(at, files, { branch: 'topic', start_branch: 'master' });
  const { body: diffs } = await world.api(owner).get(`${at}/commits/${id}/diff`);
  const generated = (list: { new_path: string; generated_file: boolean }[]) =>
    list.flatMap(({ new_path, generated_file }) => (generated_file ? [new_path] : []));
  expect(generated(diffs)).toEqual(['a.made', 'yarn.lock']);
  const asked = { source_branch: 'topic', target_branch: 'master', title: 'Made' };
  const { body: request } = await world.api(owner).post(`/projects/${project.id}/merge_requests`, asked);
  const merge = `/projects/${project.id}/merge_requests/${request.iid}`;
  expect(generated((await world.api(owner).get(`${merge}/diffs`)).body)).toEqual(['a.made', 'yarn.lock']);
  expect(generated((await world.api(owner).get(`${merge}/changes`)).body.changes)).toEqual(['a.made', 'yarn.lock']);
  const compared = await world.api(owner).get(`${at}/compare?from=master&to=topic`);
  expect(generated(compared.body.diffs)).toEqual(['a.made', 'yarn.lock']);
  const query = `query ($project: ProjectRef!, $iid: Int!) { project(ref: $project) { mergeRequest(iid: $iid) {
    fileDiffs { nodes { newPath suppressed } } } } }`;
  const { body } = await world.graphql(query, { project: project.fullPath, iid: request.iid }, reporter);
  const nodes: { newPath: string; suppressed: boolean }[] = body.data.project.mergeRequest.fileDiffs.nodes;
  expect(nodes.flatMap(({ newPath, suppressed }) => (suppressed ? [newPath] : []))).toEqual(['a.svg']);
  const browser = await signedIn(world, reporter);
  await browser.get(`/${project.fullPath}/-/merge_requests/${request.iid}/diffs`);
  const folded = [
    ...browser.page.matchAll(/<details( open)?>\s*<summary class="unseen-open">[^<]*<span[^>]*> of ([^<]*)</g),
  ];
  expect(folded.flatMap(([, isOpen, name]) => (isOpen ? [] : [name]))).toEqual(['a.made', 'a.svg', 'yarn.lock']);
  expect(browser.page).toContain('hidden by .gitattributes');
  // All is there nevertheless.
  expect(browser.page).toContain('a.made</td>');
});

it('files of many lines are folded, unless something is said of them', LONG, async () => {
  const { project, at } = await filled([create('README.md', 'x\n')]);
  const content = Array.from({ length: 500 }, (_, n) => `line ${n}\n`).join('');
  const { id } = await committed(at, [create('long.txt', content), create('short.txt', 'x\n')]);
  const browser = await signedIn(world, owner);
  const isOpen = async () => {
    await browser.get(`/${project.fullPath}/-/commit/${id}`);
    return (
      /<details( open)?>\s*<summary class="unseen-open">[^<]*<span[^>]*> of long\.txt</.exec(browser.page)?.[1] !==
      undefined
    );
  };
  expect(await isOpen()).toBe(false);
  expect(browser.page).toContain('The file has more changes.');
  const comment = { note: 'Here', path: 'long.txt', line: 7, line_type: 'new' };
  expect((await world.api(owner).post(`${at}/commits/${id}/comments`, comment)).status).toBe(201);
  expect(await isOpen()).toBe(true);
});
