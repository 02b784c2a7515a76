import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startMailbox } from '../support/mailbox.ts';
import { signedIn } from '../support/oauth.ts';
import { startReceiver, type Told } from '../support/receiver.ts';
import { startWorld } from '../support/world.ts';

const mailbox = await startMailbox();
const world = await startWorld({ smtp: mailbox.url });
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const owner = await world.user();
const api = world.api(owner);
let filled: ProjectRow;

const at = (to: { id: number }, slug: string) => `/projects/${to.id}/integrations/${slug}`;

async function setUp(slug: string, given: object, to: { id: number }): Promise<void> {
  const { status, body } = await api.put(at(to, slug), given);
  expect([status, body]).toEqual([200, expect.objectContaining({ slug, active: true })]);
}

/** Writes a file, in a commit with this message. */
async function commit(to: { id: number }, message: string, file_path = world.unique('file')): Promise<string> {
  const actions = [{ action: 'create', file_path, content: `What ${message} is about\n` }];
  const { status, body } = await api.post(`/projects/${to.id}/repository/commits`, {
    branch: 'main',
    commit_message: message,
    actions,
  });
  expect(status).toBe(201);
  return body.id;
}

beforeAll(async () => {
  filled = await world.project({ owner, defaultBranch: 'main' });
  await commit(filled, 'Begin');
});

describe('Emails on push', () => {
  it('go to each address with the commits and the changes, and not to accounts that cannot see them', async () => {
    const place = await world.project({ owner, defaultBranch: 'main' });
    await commit(place, 'Begin');
    const stranger = await world.user();
    const outside = `${world.unique('outside')}@example.net`;
    const { email } = await world.db.user.findUniqueOrThrow({ where: { id: owner.id } });
    const { email: hidden } = await world.db.user.findUniqueOrThrow({ where: { id: stranger.id } });
    await setUp(
      'emails-on-push',
      { recipients: `${hidden} ${outside},\n${email} ${outside}`, send_from_committer_email: true },
      place,
    );
    await commit(place, 'Say <hello>', 'hello.txt');
    const mail = await mailbox.next(outside);
    expect(mail.subject).toBe(`[${place.fullPath}][main] 1 commit: Say <hello>`);
    expect(mail.text).toContain('pushed 1 commit to branch main');
    expect(mail.raw).toContain('+What Say <hello> is about');
    expect(mail.raw).toContain('&#60;hello&#62;');
    expect(mail.raw).toMatch(new RegExp(`^From: "?Name of ${owner.username}`, 'm'));
    await mailbox.next(email);
    await world.idle();
    expect(mailbox.to(outside)).toHaveLength(1);
    expect(mailbox.to(hidden)).toEqual([]);
    await setUp('emails-on-push', { disable_diffs: true, recipients: outside }, place);
    await commit(place, 'Another');
    await world.until(async () => mailbox.to(outside).length === 2);
    expect(mailbox.to(outside)[1]?.raw).not.toContain('+What Another');
  });

  it('need addresses, at most 100', async () => {
    const refused = async (recipients: string) => (await api.put(at(filled, 'emails-on-push'), { recipients })).body;
    expect(await refused('')).toEqual({ message: { recipients: ['is missing'] } });
    expect(await refused('no address')).toEqual({ message: { recipients: ['must be email addresses'] } });
    expect(await refused('a@b\r\nBcc: c@d')).toEqual({ message: { recipients: ['must be email addresses'] } });
    const many = Array.from({ length: 101 }, (_, index) => `a${index}@example.org`).join(' ');
    expect(await refused(many)).toEqual({ message: { recipients: ['are too many (maximum is 100)'] } });
  });
});

describe('Pipeline emails', () => {
  it('tell of the outcome, of failed pipelines alone unless all are wanted', LONG, async () => {
    const place = await world.project({ owner, defaultBranch: 'main' });
    await commit(place, 'Begin');
    const to = `${world.unique('ops')}@example.net`;
    await setUp('pipelines-email', { recipients: to, pipeline_events: true }, place);
    const data = { projectId: place.id, ref: 'main', sha: '1'.repeat(40), source: 'push' as const, userId: owner.id };
    const { id: passed } = await world.db.pipeline.create({ data: { ...data, iid: 1, status: 'running' } });
    const { id: broken } = await world.db.pipeline.create({ data: { ...data, iid: 2, status: 'running' } });
    await world.db.pipeline.update({ where: { id: passed }, data: { status: 'success' } });
    await world.db.pipeline.update({ where: { id: broken }, data: { status: 'failed' } });
    const mail = await mailbox.next(to);
    expect(mail.subject).toBe(`[${place.fullPath}][main] Pipeline #${broken} failed`);
    expect(mail.text).toContain(`/-/pipelines/${broken}`);
    await world.idle();
    expect(mailbox.to(to)).toHaveLength(1);
  });
});

describe('Deployments', () => {
  it('are told to webhooks and announced in chats', LONG, async () => {
    const place = await world.project({ owner, defaultBranch: 'main' });
    const sha = await commit(place, 'Ship it');
    const [hook, chat] = [`/${world.unique('hook')}`, `/${world.unique('chat')}`];
    const wants = { push_events: false, deployment_events: true };
    const made = await api.post(`/projects/${place.id}/hooks`, { url: receiver.url(hook), ...wants });
    expect(made.body).toMatchObject({ deployment_events: true });
    await setUp('slack', { webhook: receiver.url(chat), ...wants }, place);
    const deployment = { environment: 'production', ref: 'main', tag: false, sha, status: 'success' };
    expect((await api.post(`/projects/${place.id}/deployments`, deployment)).status).toBe(201);
    const { body, headers } = await receiver.next(hook);
    expect(headers['x-gitlab-event']).toBe('Deployment Hook');
    expect(body).toMatchObject({
      object_kind: 'deployment',
      status: 'success',
      environment: 'production',
      environment_tier: 'production',
      short_sha: sha.slice(0, 8),
      commit_title: 'Ship it',
      commit_url: `${world.url}/${place.fullPath}/-/commit/${sha}`,
      user: { username: owner.username },
    });
    expect((await receiver.next(chat)).body.text).toContain(
      `Deployment to production by Name of ${owner.username} succeeded`,
    );
  });
});

describe('An external tracker', () => {
  const html = async (text: string, to: ProjectRow) =>
    (await api.post('/markdown', { text, gfm: true, project: to.fullPath })).body.html as string;

  it('is where names of issues lead, and numbers where the project has no issues', LONG, async () => {
    const place = await world.project({ owner });
    await world.issue(place, owner);
    expect(await html('See ABC-12 and #1', place)).not.toContain('tracker.example.org');
    const given = {
      project_url: 'https://tracker.example.org/p',
      issues_url: 'https://tracker.example.org/i/:id',
      new_issue_url: 'https://tracker.example.org/new',
    };
    await setUp('redmine', given, place);
    const both = await html('See ABC-12, not XABC-12x, and #1', place);
    expect(both).toContain('href="https://tracker.example.org/i/ABC-12"');
    expect(both.match(/tracker\.example\.org/g)).toHaveLength(1);
    await api.put(`/projects/${place.id}`, { issues_enabled: false });
    expect(await html('Now #7', place)).toContain('href="https://tracker.example.org/i/7"');
    const links = `query ($ref: ProjectRef!) { project(ref: $ref) { linkedPages { title url } } }`;
    const { body } = await world.graphql(links, { ref: place.fullPath }, owner);
    expect(body.data.project.linkedPages).toEqual([{ title: 'Redmine', url: 'https://tracker.example.org/p' }]);
  });

  it('has names of its own kind', LONG, async () => {
    const urls = {
      project_url: 'https://t.example.org',
      issues_url: 'https://t.example.org/:id',
      new_issue_url: 'https://t.example.org/new',
    };
    for (const [slug, text, id] of [
      ['ewm', 'work item 12', '12'],
      ['clickup', 'CU-4x9', '4x9'],
      ['youtrack', 'YT-3', 'YT-3'],
      ['bugzilla', 'BUG-4', 'BUG-4'],
      ['custom-issue-tracker', 'C-5', 'C-5'],
    ] as const) {
      const place = await world.project({ owner });
      await setUp(slug, urls, place);
      expect([slug, await html(`It is ${text}.`, place)]).toEqual([
        slug,
        expect.stringContaining(`href="https://t.example.org/${id}"`),
      ]);
    }
    expect((await api.put(at(filled, 'redmine'), { ...urls, issues_url: 'https://t.example.org/' })).body).toEqual({
      message: { issues_url: ['must contain :id'] },
    });
  });

  it('and a wiki are linked from the pages of the project', async () => {
    const place = await world.project({ owner, visibility: 'public' });
    await setUp('external-wiki', { external_wiki_url: 'https://wiki.example.org/?a=1&b=2' }, place);
    const browser = await signedIn(world, owner);
    await browser.get(`/${place.fullPath}/-/issues`);
    expect(browser.page).toContain('href="https://wiki.example.org/?a=1&amp;b=2"');
  });
});

describe('Jira', () => {
  /** A stand-in for the REST API of Jira, version 2. */
  function jira() {
    const base = `/${world.unique('jira')}`;
    const comments: string[] = [];
    let isDone = false;
    const json = (response: ServerResponse, status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const on = (path: string, answer: (told: Told, response: ServerResponse, method: string) => void) =>
      receiver.answer(`${base}/rest/api/2${path}`, (told, response, request) =>
        answer(told, response, request.method ?? ''),
      );
    on('/issue/ABC-1/comment?maxResults=100&orderBy=-created', (_told, response) =>
      json(response, 200, { comments: comments.map((body) => ({ body })) }),
    );
    on('/issue/ABC-1/comment', ({ body }, response) => {
      comments.push(body.body);
      json(response, 201, { id: '1' });
    });
    on('/issue/NONE-1/comment?maxResults=100&orderBy=-created', (_told, response) =>
      json(response, 404, { errorMessages: ['Issue Does Not Exist'] }),
    );
    on('/issue/ABC-1?fields=resolution,status', (_told, response) =>
      json(response, 200, { fields: { resolution: isDone ? {} : null, status: { statusCategory: { key: 'new' } } } }),
    );
    on('/issue/ABC-1/transitions', ({ body }, response, method) => {
      const offered = [
        { id: '11', to: { statusCategory: { key: 'indeterminate' } } },
        { id: '31', to: { statusCategory: { key: 'done' } } },
      ];
      if (method === 'GET') return json(response, 200, { transitions: offered });
      isDone = body.transition.id === '31';
      return response.writeHead(204).end();
    });
    return { url: receiver.url(base), base, comments, isDone: () => isDone };
  }

  it(
    'gets a comment for each commit that mentions an issue, once, and closes what the default branch closes',
    LONG,
    async () => {
      const place = await world.project({ owner, defaultBranch: 'main' });
      await commit(place, 'Begin');
      const { url, base, comments, isDone } = jira();
      await setUp(
        'jira',
        { url, username: 'ann', password: 'pass-phrase', jira_issue_transition_automatic: true },
        place,
      );
      const sha = await commit(place, 'Look at ABC-1 and NONE-1 [x]');
      await world.until(async () => comments.length === 1);
      expect(comments[0]).toBe(
        `Name of ${owner.username} mentioned this issue in [a commit|${world.url}/${place.fullPath}/-/commit/${sha}] of [${place.fullPath.replaceAll('-', '\\-')}|${world.url}/${place.fullPath}]:\nLook at ABC\\-1 and NONE\\-1 \\[x\\]`,
      );
      const [asked] = receiver.told.filter(({ path }) => path.startsWith(base));
      expect(asked?.headers.authorization).toBe(`Basic ${Buffer.from('ann:pass-phrase').toString('base64')}`);
      expect(isDone()).toBe(false);
      await commit(place, 'Fixes ABC-1');
      await world.until(async () => isDone());
      expect(comments).toHaveLength(2);
      const hook = await world.db.hook.findFirstOrThrow({ where: { projectId: place.id } });
      await world.until(
        async () => (await world.db.hookDelivery.count({ where: { hookId: hook.id, state: 'waiting' } })) === 0,
      );
      const log = await world.db.hookDelivery.findMany({ where: { hookId: hook.id } });
      expect(log.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
      expect(JSON.stringify(log)).not.toMatch(/pass-phrase|Basic /);
      const { body } = await api.post('/markdown', { text: 'ABC-1', gfm: true, project: place.fullPath });
      expect(body.html).toContain(`href="${url}/browse/ABC-1"`);
    },
  );

  it('must be allowed to be reached, and its password is given again with another address', async () => {
    const place = await world.project({ owner });
    const { url } = jira();
    const given = { url, username: 'ann', password: 'pass-phrase' };
    expect(
      (await api.put(at(place, 'jira'), { ...given, api_url: 'http://192.168.1.1' })).body.message.api_url[0],
    ).toContain('private address');
    await setUp('jira', given, place);
    const moved = await api.put(at(place, 'jira'), { url: receiver.url('/elsewhere') });
    expect([moved.status, moved.body]).toEqual([400, { message: { password: ['is missing'] } }]);
    expect((await api.get(at(place, 'jira'))).body.properties).not.toHaveProperty('password');
  });
});
