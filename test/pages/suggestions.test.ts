// Takes long: the long run has it.
// @module-tag long
import { expect, it } from 'vitest';
import { alertsOn, type Browser, noticeOn } from '../support/browser.ts';
import { startCommittingWorld } from '../support/commits.ts';
import type { Json } from '../support/http.ts';
import { signedIn } from '../support/oauth.ts';
import type { TestUser } from '../support/world.ts';

const { world, owner, reporter, filled, committed } = await startCommittingWorld();

const CONTENT = 'one\ntwo\nthree\nfour\nfive\n';

/** A merge request that adds a file of five lines, with suggestions for three of them: for `ONE`, `THREE` and `FIVE`. */
async function suggested() {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'a\n' }]);
  await world.api(owner).post(`${at}/branches`, { branch: 'topic', ref: 'master' });
  await committed(at, [{ action: 'create', file_path: 'b.txt', content: CONTENT }], { branch: 'topic' });
  const asked = { source_branch: 'topic', target_branch: 'master', title: 'Add b' };
  const path = `/projects/${project.id}/merge_requests`;
  const { body: made } = await world.api(owner).post(path, asked);
  const { body: record } = await world.api(owner).get(`${path}/${made.iid}`);
  const { base_sha, start_sha, head_sha } = record.diff_refs;
  const suggestions: Json[] = [];
  for (const [new_line, text] of [
    [1, 'ONE'],
    [3, 'THREE'],
    [5, 'FIVE'],
  ]) {
    const position = { base_sha, start_sha, head_sha, position_type: 'text', new_path: 'b.txt', new_line };
    const body = `\`\`\`suggestion\n${text}\n\`\`\``;
    const answer = await world.api(reporter).post(`${path}/${made.iid}/discussions`, { body, position });
    suggestions.push(answer.body.notes[0].suggestions[0]);
  }
  const commits = async () => (await world.api(owner).get(`${at}/commits?ref_name=topic`)).body as Json[];
  const content = async (ref = 'topic') =>
    Buffer.from((await world.api(owner).get(`${at}/files/b.txt?ref=${ref}`)).body.content, 'base64').toString();
  const address = `/${project.fullPath}/-/merge_requests/${made.iid}`;
  return { project, iid: made.iid as number, suggestions, commits, content, address };
}

/** The suggestions that a page offers to apply together, by their global IDs. */
const offered = (page: string) => [...page.matchAll(/name="ids" value="([^"]*)" checked/g)].map(([, id = '']) => id);

it.each(['', '/diffs'])('commits the chosen suggestions at once, on the page %s of the merge request', async (at) => {
  const { commits, content, address } = await suggested();
  const before = await commits();
  const browser = await signedIn(world, owner);
  await browser.get(address + at);
  expect(browser.page).toContain('Apply 3 suggestions in one commit');
  const ids = offered(browser.page);
  expect(ids).toHaveLength(3);
  const [first = '', , last = ''] = ids;
  await browser.submit(`${address}${at}/apply_all`, { ids: [first, last] });
  expect(browser.answer.headers.location).toBe(address + at);
  await browser.follow();
  expect(noticeOn(browser.page)).toContain('The suggestions were applied.');
  expect(await content()).toBe('ONE\ntwo\nthree\nfour\nFIVE\n');
  const after = await commits();
  expect(after.length - before.length).toBe(1);
  expect(after[0]).toMatchObject({ title: 'Apply 2 suggestion(s) to 1 file(s)' });
  // The third is left, which needs no batch.
  expect(offered(browser.page)).toEqual([]);
});

it('offers it to those alone who may push, and says what is wrong where nothing is chosen or they do not fit', async () => {
  const { commits, content, address, suggestions } = await suggested();
  const reading = await signedIn(world, reporter);
  await reading.get(address);
  expect(offered(reading.page)).toEqual([]);
  const browser = await signedIn(world, owner);
  await browser.get(address);
  const ids = offered(browser.page);
  const refused = async (who: Browser, sent: readonly string[]) => {
    expect((await who.submit(`${address}/apply_all`, { ids: [...sent] })).status).toBe(422);
    return alertsOn(who.page);
  };
  expect(await refused(reading, ids)).toEqual(['Cannot push to source branch']);
  expect(await refused(browser, [])).toEqual(['Choose at least one.']);
  const other = await suggested();
  const elsewhere = other.suggestions.map(({ id }) => String(id));
  expect(await refused(browser, [...ids, ...elsewhere])).toEqual(['Suggestions must all be on the same merge request']);
  await world.api(owner).put(`/suggestions/${suggestions[0]?.id}/apply`, {});
  const count = (await commits()).length;
  // One of them is applied already: none is.
  expect(await refused(browser, ids)).toEqual(['A suggestion is not applicable: it was applied already']);
  expect((await commits()).length).toBe(count);
  expect(await content()).toBe(CONTENT.replace('one', 'ONE'));
});

const APPLY = `mutation ($input: ApplySuggestionsInput!) {
  applySuggestions(input: $input) { suggestions { databaseId applied commitSha } }
}`;

it('is one mutation of the graph, which answers the suggestions in the given order, all with one commit', async () => {
  const { commits, content, suggestions } = await suggested();
  const [one, , three] = suggestions.map(({ id }) => id as number);
  const apply = (who: TestUser, ids: unknown[]) =>
    world.graphql(APPLY, { input: { ids, commitMessage: 'Shout' } }, who).then(({ body }) => body);
  expect((await apply(reporter, [one])).errors[0].extensions.code).toBe('FORBIDDEN');
  const { data } = await apply(owner, [String(three), String(one)]);
  const [head] = await commits();
  const all = { applied: true, commitSha: head?.id };
  expect(data.applySuggestions.suggestions).toEqual([
    { databaseId: three, ...all },
    { databaseId: one, ...all },
  ]);
  expect(head?.title).toBe('Shout');
  expect(await content()).toBe('ONE\ntwo\nthree\nfour\nFIVE\n');
});
