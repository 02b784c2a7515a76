import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createCommit } from '#src/domain/repository/commits/create.ts';
import { LONG } from '../support/long.ts';
import { startReceiver } from '../support/receiver.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const admin = await world.user({ admin: true });
const owner = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner });
  at = `/projects/${project.id}/hooks`;
});

/** A path that a new hook leads to, and the answer. */
async function hook(given: object, to = at) {
  const path = `/${world.unique('receiver')}`;
  const answer = await world.api(admin).post(to, { url: receiver.url(path), ...given });
  expect([answer.status, answer.body]).toMatchObject([201, {}]);
  return { path, body: answer.body };
}

let count = 0;
const push = (branch: string) =>
  createCommit(world.as(owner), project.id, {
    branch,
    ...(branch === 'master' || count === 0 ? {} : { startBranch: 'master' }),
    message: 'A change',
    actions: [{ action: 'create', filePath: `file${count++}`, content: 'x' }],
  });
const refs = (path: string) => receiver.at(path).map(({ body }) => body.ref);

describe('A hook with a filter of branches', () => {
  it('hears of pushes to these branches, and of no others', async () => {
    await push('master');
    const filters = [
      { push_events_branch_filter: 'release/*' },
      { push_events_branch_filter: '100%_sure' },
      { push_events_branch_filter: '^(release|hot)/v?\\d+$', branch_filter_strategy: 'regex' },
      { push_events_branch_filter: 'release/*', branch_filter_strategy: 'all_branches' },
      { push_events_branch_filter: '' },
    ];
    const paths = [];
    for (const filter of filters) paths.push((await hook(filter)).path);
    const { path: ofServer } = await hook({ push_events_branch_filter: 'release/1' }, '/hooks');
    const branches = [
      'main',
      'release/1',
      'release/next',
      'hot/v2',
      'pre-release/1',
      '100%_sure',
      '100%-sure',
      '1000%_sure',
    ];
    for (const branch of branches) await push(branch);
    const last = paths.at(-1) ?? '';
    await receiver.some(last, branches.length);
    await receiver.some(ofServer, 1);
    const all = branches.map((branch) => `refs/heads/${branch}`);
    await receiver.some(paths[3] ?? '', branches.length);
    await receiver.some(paths[2] ?? '', 2);
    expect(paths.map(refs)).toEqual([
      ['refs/heads/release/1', 'refs/heads/release/next'],
      ['refs/heads/100%_sure'],
      ['refs/heads/release/1', 'refs/heads/hot/v2'],
      all,
      all,
    ]);
    expect(refs(ofServer).filter((ref) => ref !== undefined)).toEqual(['refs/heads/release/1']);
  });

  it('is refused where the filter cannot be read, and stays as it was', LONG, async () => {
    const { body: made } = await hook({ push_events_branch_filter: 'kept', branch_filter_strategy: 'wildcard' });
    const invalid = { status: 422, body: { error: 'Invalid branch filter given' } };
    const slow = ['(a?){255}', '((a?b){5}(c?d){5}){20}', `${'(a?){50}'.repeat(5)}`, '(?x)(a?) {255}', '(a?)(?#){255}'];
    for (const filter of ['(', 'a{1,9999}', '(a)\\1', '(?=a)', 'x'.repeat(256), ...slow]) {
      const sent = { url: made.url, push_events_branch_filter: filter, branch_filter_strategy: 'regex' };
      expect(await api.post(at, sent)).toMatchObject(invalid);
      expect(await api.put(`${at}/${made.id}`, sent)).toMatchObject(invalid);
    }
    for (const filter of ['(?i)^[0-9a-f]{40}$', '^\\d{4}(-\\d{1,2}){2}$', '^v(?:\\d{1,4}\\.){2}\\d{1,4}$']) {
      const sent = { url: made.url, push_events_branch_filter: filter, branch_filter_strategy: 'regex' };
      expect((await api.put(`${at}/${made.id}`, sent)).body).toMatchObject({ push_events_branch_filter: filter });
    }
    await api.put(`${at}/${made.id}`, { url: made.url, branch_filter_strategy: 'wildcard' });
    // What is a pattern may be no regular expression, and the other way round.
    await api.put(`${at}/${made.id}`, { url: made.url, push_events_branch_filter: '*(' });
    expect(await api.put(`${at}/${made.id}`, { url: made.url, branch_filter_strategy: 'regex' })).toMatchObject(
      invalid,
    );
    expect(await api.post(at, { url: made.url, branch_filter_strategy: 'glob' })).toMatchObject({
      status: 400,
      body: { error: 'branch_filter_strategy does not have a valid value' },
    });
    expect((await api.get(`${at}/${made.id}`)).body).toMatchObject({
      push_events_branch_filter: '*(',
      branch_filter_strategy: 'wildcard',
    });
    expect((await api.put(`${at}/${made.id}`, { url: made.url, push_events_branch_filter: '' })).body).toMatchObject({
      push_events_branch_filter: null,
    });
  });
});

describe('The details of a hook', () => {
  it('are kept, and changed alone', LONG, async () => {
    const given = { name: 'Builds', description: 'Tells the builder', push_events_branch_filter: 'main' };
    const { body } = await hook(given);
    expect(body).toMatchObject({ ...given, branch_filter_strategy: 'wildcard', custom_headers: [] });
    const changed = await api.put(`${at}/${body.id}`, { url: body.url, description: '' });
    expect(changed.body).toMatchObject({ ...given, description: null });
    const group = await world.group({ owner });
    const { body: ofGroup } = await hook(given, `/groups/${group.id}/hooks`);
    expect(ofGroup).toMatchObject({ ...given, member_events: false });
  });

  it('are headers that requests carry, whose values nobody gets to see', LONG, async () => {
    const custom_headers = [
      { key: 'X-Api-Key', value: 'very secret' },
      { key: 'Authorization', value: 'Bearer abc' },
    ];
    const { path, body } = await hook({ custom_headers, token: 'shared', push_events: true });
    expect(body.custom_headers).toEqual([{ key: 'X-Api-Key' }, { key: 'Authorization' }]);
    await push('headers');
    const told = await receiver.next(path);
    expect(told.headers).toMatchObject({
      'x-api-key': 'very secret',
      authorization: 'Bearer abc',
      'x-gitlab-token': 'shared',
      'x-gitlab-event': 'Push Hook',
    });
    const stored = await world.db.hook.findUniqueOrThrow({ where: { id: body.id } });
    expect(Buffer.from(stored.customHeadersEncrypted ?? []).includes('secret')).toBe(false);
    await expect
      .poll(async () => (await api.get(`${at}/${body.id}/events`)).body[0]?.request_headers?.['x-api-key'])
      .toBe('[REDACTED]');
    const kept = await api.put(`${at}/${body.id}`, { url: body.url, name: 'x' });
    expect(kept.body.custom_headers).toHaveLength(2);
    expect((await api.put(`${at}/${body.id}`, { url: body.url, custom_headers: [] })).body.custom_headers).toEqual([]);
  });

  it.each([
    [[{ key: 'X-Gitlab-Event', value: 'a' }]],
    [[{ key: 'Content-Length', value: '1' }]],
    [[{ key: 'a b', value: '1' }]],
    [[{ key: 'a', value: 'x\r\ny: z' }]],
    [
      [
        { key: 'a', value: '1' },
        { key: 'A', value: '2' },
      ],
    ],
    [Array.from({ length: 21 }, (_, n) => ({ key: `k${n}`, value: 'x' }))],
  ])('refuse the headers %j', async (custom_headers) => {
    const refused = await api.post(at, { url: receiver.url('/x'), custom_headers });
    expect(refused).toMatchObject({ status: 400, body: { message: { custom_headers: [expect.any(String)] } } });
  });

  it('that cannot be kept are refused', async () => {
    const url = receiver.url('/x');
    for (const [to, who] of [
      [at, api],
      ['/hooks', world.api(admin)],
    ] as const) {
      expect(await who.post(to, { url, custom_webhook_template: '{"a":{{event}' })).toMatchObject({
        status: 400,
        body: { message: { custom_webhook_template: [expect.stringContaining('must be JSON')] } },
      });
      expect(await who.post(to, { url, custom_webhook_template: '', url_variables: [] })).toMatchObject({
        status: 201,
      });
    }
  });
});

describe('Comments on what not everybody sees', () => {
  it('are sent by a switch of their own, which follows the others until it is set', LONG, async () => {
    const both = { push_events: false, note_events: true, confidential_issues_events: true };
    const off = await hook({ ...both, confidential_note_events: false });
    const on = await hook({ push_events: false, confidential_note_events: true });
    const follows = await hook(both);
    expect([off, on, follows].map(({ body }) => body.confidential_note_events)).toEqual([false, true, true]);
    const secret = await world.issue(project, owner, { title: 'Secret', confidential: true });
    const open = await world.issue(project, owner, { title: 'Open' });
    for (const { iid } of [secret, open])
      await api.post(`/projects/${project.id}/issues/${iid}/notes`, { body: 'A word' });
    const told = (path: string) =>
      receiver.at(path).flatMap(({ body }) => (body.object_kind === 'note' ? [body.event_type] : []));
    await receiver.some(follows.path, 3);
    await receiver.some(on.path, 1);
    await receiver.some(off.path, 2);
    expect([told(off.path), told(on.path), told(follows.path)]).toEqual([
      ['note'],
      ['confidential_note'],
      ['confidential_note', 'note'],
    ]);
  });
});
