import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startReceiver } from '../support/receiver.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const owner = await world.user();
const admin = await world.user({ admin: true });
const api = world.api(owner);
let project: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner });
});

const SECRET = 'T0000/B0000/verysecretpart';
const at = (to: { id: number }, slug: string) => `/projects/${to.id}/integrations/${slug}`;

/** Sets an integration with an incoming webhook up. */
async function setUp(slug: string, given: object = {}, to: { id: number } = project): Promise<string> {
  const path = `/${world.unique('chat')}/${SECRET}`;
  const { status, body } = await api.put(at(to, slug), { webhook: receiver.url(path), ...given });
  expect([status, body]).toEqual([200, expect.objectContaining({ slug, active: true })]);
  return path;
}

describe('An integration of a project', () => {
  it('has the fields of its kind, and never tells secrets', async () => {
    const place = await world.project({ owner });
    expect(await api.get(at(place, 'slack'))).toMatchObject({
      status: 404,
      body: { message: '404 Integration Not Found' },
    });
    await setUp('slack', { username: 'gantry', push_channel: '#pushes', notify_only_broken_pipelines: 'false' }, place);
    const { status, body } = await api.get(at(place, 'slack'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.any(Number),
      title: 'Slack notifications',
      slug: 'slack',
      created_at: expect.any(String),
      active: true,
      inherited: false,
      push_events: true,
      issues_events: true,
      confidential_issues_events: true,
      merge_requests_events: true,
      tag_push_events: true,
      note_events: true,
      confidential_note_events: true,
      pipeline_events: true,
      wiki_page_events: true,
      deployment_events: false,
      job_events: false,
      commit_events: false,
      properties: {
        username: 'gantry',
        channel: null,
        push_channel: '#pushes',
        notify_only_broken_pipelines: false,
        branches_to_be_notified: 'default',
      },
    });
    expect(body.properties).not.toHaveProperty('webhook');
    expect(JSON.stringify(body)).not.toContain('verysecretpart');
    const list = await api.get(`/projects/${place.id}/integrations`);
    expect(list.body).toEqual([expect.objectContaining({ slug: 'slack', active: true })]);
    expect(list.body[0]).not.toHaveProperty('properties');
    expect(JSON.stringify(list.body)).not.toContain('verysecretpart');
    const row = await world.db.integration.findFirstOrThrow({ where: { projectId: place.id } });
    expect(JSON.stringify({ ...row, secretsEncrypted: null })).not.toContain('verysecretpart');
    const hook = await world.db.hook.findFirstOrThrow({ where: { integrationId: row.id } });
    expect(hook.url).toBe(new URL(receiver.url('/')).origin);
  });

  it('keeps what is not given, and loses secrets when the address is another one', async () => {
    const place = await world.project({ owner });
    const given = { template: '{"a":"{{object_kind}}"}', authorization: 'Bearer abc' };
    await setUp('custom-webhook', given, place);
    const kept = await api.put(at(place, 'custom-webhook'), { push_events: false });
    expect(kept.body).toMatchObject({
      push_events: false,
      issues_events: true,
      properties: { template: given.template },
    });
    const names = async () =>
      (await world.db.integration.findFirstOrThrow({ where: { projectId: place.id } })).secretNames;
    expect(await names()).toEqual(['webhook', 'authorization']);
    await api.put(at(place, 'custom-webhook'), { webhook: receiver.url('/other') });
    expect(await names()).toEqual(['webhook']);
  });

  it('is found under its old address, and with the old spelling of its name', async () => {
    const place = await world.project({ owner });
    await setUp('microsoft-teams', {}, place);
    expect((await api.get(`/projects/${place.id}/services/microsoft_teams`)).body).toMatchObject({
      slug: 'microsoft-teams',
    });
    expect((await api.get(`/projects/${place.id}/services`)).body).toHaveLength(1);
    expect((await api.delete(`/projects/${place.id}/services/microsoft-teams`)).status).toBe(204);
    expect((await api.get(at(place, 'microsoft-teams'))).status).toBe(404);
    expect((await api.delete(at(place, 'microsoft-teams'))).status).toBe(404);
  });

  it('names what is wrong with its parameters', async () => {
    const refused = async (slug: string, given: object) => {
      const { status, body } = await api.put(at(project, slug), given);
      return [status, body.message ?? body.error];
    };
    expect(await refused('slack', {})).toEqual([400, { webhook: ['is missing'] }]);
    expect(await refused('slack', { webhook: 'ftp://example.org' })).toEqual([
      400,
      { webhook: ['must be a URL with http or https'] },
    ]);
    expect(await refused('slack', { webhook: 'http://10.0.0.1/x' })).toEqual([
      400,
      { webhook: [expect.stringContaining('private address')] },
    ]);
    expect(await refused('slack', { webhook: 'https://example.org', branches_to_be_notified: 'some' })).toEqual([
      400,
      { branches_to_be_notified: [expect.stringContaining('must be one of all, default')] },
    ]);
    expect(await refused('slack', { webhook: 'https://example.org', username: 'x'.repeat(3_000) })).toEqual([
      400,
      { username: [expect.stringContaining('too long')] },
    ]);
    expect(await refused('custom-webhook', { webhook: 'https://example.org', template: 'no JSON' })).toEqual([
      400,
      { template: [expect.stringContaining('must be JSON')] },
    ]);
    expect(await refused('no-such-thing', {})).toEqual([404, '404 Integration Not Found']);
    expect(await world.db.integration.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('is no webhook of the project', async () => {
    const place = await world.project({ owner });
    await setUp('discord', {}, place);
    const { id } = await world.db.hook.findFirstOrThrow({ where: { projectId: place.id } });
    expect((await api.get(`/projects/${place.id}/hooks`)).body).toEqual([]);
    expect((await api.get(`/projects/${place.id}/hooks/${id}`)).status).toBe(404);
    expect((await api.put(`/projects/${place.id}/hooks/${id}`, { url: receiver.url('/taken') })).status).toBe(404);
    expect((await api.delete(`/projects/${place.id}/hooks/${id}`)).status).toBe(404);
  });
});

describe('Messages', () => {
  const title = 'Crash <!channel> & *bold* [x](http://evil) @all | end';

  it('are written for Slack', async () => {
    const place = await world.project({ owner });
    const path = await setUp('slack', { username: 'bot', channel: 'general', issue_channel: 'issues, more' }, place);
    await api.post(`/projects/${place.id}/issues`, { title, description: 'See <b>' });
    const told = await receiver.some(path, 2);
    expect(told.map(({ body }) => body.channel)).toEqual(['issues', 'more']);
    const [{ body, headers } = { body: undefined, headers: undefined }] = told;
    const url = `${world.url}/${place.fullPath}`;
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Gantry-Integrations' });
    expect(body).toEqual({
      username: 'bot',
      channel: 'issues',
      text: `Name of ${owner.username} opened issue <${url}/-/issues/1|#1 Crash &lt;!channel&gt; &amp; *bold* [x](http://evil) @all ¦ end> in <${url}|${owner.username} / ${place.name}>`,
      attachments: [{ fallback: expect.any(String), color: '#345ca0', text: 'See &lt;b&gt;', mrkdwn_in: ['text'] }],
    });
  });

  it('are written for Mattermost, Discord and Teams', async () => {
    const place = await world.project({ owner });
    const paths = {
      mattermost: await setUp('mattermost', {}, place),
      discord: await setUp('discord', { username: 'bot' }, place),
      teams: await setUp('microsoft-teams', {}, place),
    };
    await api.post(`/projects/${place.id}/issues`, { title });
    const escaped = '\\#1 Crash \\<\\!channel\\> \\& \\*bold\\* \\[x\\]\\(http://evil\\) @\u200ball \\| end';
    const url = `${world.url}/${place.fullPath}`;
    const sentence = expect.stringContaining(`opened issue [${escaped}](${url}/-/issues/1) in [`);
    expect((await receiver.next(paths.mattermost)).body).toEqual({ text: sentence });
    expect((await receiver.next(paths.discord)).body).toEqual({
      username: 'bot',
      embeds: [{ description: sentence, color: 0x345ca0 }],
      allowed_mentions: { parse: [] },
    });
    expect((await receiver.next(paths.teams)).body).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: { type: 'AdaptiveCard', version: '1.2', body: [{ type: 'TextBlock', text: sentence, wrap: true }] },
        },
      ],
    });
  });

  it('are made by a template, with a header of its own', async () => {
    const place = await world.project({ owner });
    const template = '{"text":"{{user.name}}: {{object_attributes.title}}","n":{{object_attributes.iid}}}';
    const path = await setUp('custom-webhook', { template, authorization: 'Bearer hush' }, place);
    await api.post(`/projects/${place.id}/issues`, { title: 'Say "hello"' });
    const { body, headers } = await receiver.next(path);
    expect(body).toEqual({ text: `Name of ${owner.username}: Say "hello"`, n: 1 });
    expect(headers.authorization).toBe('Bearer hush');
  });

  it('tell of comments, also on what not everybody sees, only where they are wanted', async () => {
    const place = await world.project({ owner });
    const path = await setUp(
      'slack',
      { confidential_note_events: false, issues_events: false, confidential_issues_events: false },
      place,
    );
    const { body: secretIssue } = await api.post(`/projects/${place.id}/issues`, {
      title: 'Secret',
      confidential: true,
    });
    const { body: issue } = await api.post(`/projects/${place.id}/issues`, { title: 'Plain' });
    await api.post(`/projects/${place.id}/issues/${secretIssue.iid}/notes`, { body: 'hidden' });
    await api.post(`/projects/${place.id}/issues/${issue.iid}/notes`, { body: 'a *comment*' });
    const { body } = await receiver.next(path);
    expect(body.text).toContain('commented> on issue <');
    expect(body.attachments[0].text).toBe('a *comment*');
    expect(receiver.at(path).length).toBe(1);
  });

  it('leave out what there is nothing to say of: its delivery is not kept', LONG, async () => {
    const place = await world.project({ owner });
    const path = await setUp('slack', {}, place);
    const { body: issue } = await api.post(`/projects/${place.id}/issues`, { title: 'One' });
    await receiver.next(path);
    await api.put(`/projects/${place.id}/issues/${issue.iid}`, { title: 'Renamed' });
    await api.put(`/projects/${place.id}/issues/${issue.iid}`, { state_event: 'close' });
    const [, told] = await receiver.some(path, 2);
    expect(told?.body.text).toContain('closed issue');
    const { id } = await world.db.hook.findFirstOrThrow({ where: { projectId: place.id } });
    await world.until(
      async () => (await world.db.hookDelivery.count({ where: { hookId: id, state: 'waiting' } })) === 0,
    );
    expect(await world.db.hookDelivery.count({ where: { hookId: id } })).toBe(2);
  });
});

describe('Inheritance', () => {
  it('goes from the server to groups and projects, and ends at the nearest', LONG, async () => {
    const group = await world.group({ owner });
    const inside = await world.project({ owner, namespaceId: group.id });
    const outside = await world.project({ owner });
    const groupPath = `/${world.unique('group')}`;
    const made = await api.put(`/groups/${group.id}/integrations/mattermost`, { webhook: receiver.url(groupPath) });
    expect(made).toMatchObject({ status: 200, body: { active: true, inherited: false } });
    expect((await api.get(`/groups/${group.id}/integrations`)).body).toMatchObject([{ slug: 'mattermost' }]);
    const ofGroup = await api.get(`/groups/${group.id}/integrations/mattermost`);
    expect(ofGroup.body).toMatchObject({ slug: 'mattermost', active: true, inherited: false });
    expect((await api.get(at(inside, 'mattermost'))).body).toMatchObject({ active: true, inherited: true });
    expect((await api.get(at(outside, 'mattermost'))).status).toBe(404);
    await api.post(`/projects/${inside.id}/issues`, { title: 'Through the group' });
    expect((await receiver.next(groupPath)).body.text).toContain('Through the group');

    const own = await setUp('mattermost', {}, inside);
    expect((await api.get(at(inside, 'mattermost'))).body).toMatchObject({ inherited: false });
    await api.post(`/projects/${inside.id}/issues`, { title: 'Own' });
    expect((await receiver.next(own)).body.text).toContain('Own');
    expect(receiver.at(groupPath).length).toBe(1);

    expect((await api.delete(at(inside, 'mattermost'))).status).toBe(204);
    expect((await api.get(at(inside, 'mattermost'))).body).toMatchObject({ active: false, inherited: false });
    expect((await api.get(`/projects/${inside.id}/integrations`)).body).toEqual([]);
    await api.post(`/projects/${inside.id}/issues`, { title: 'Nowhere' });

    const again = await api.put(at(inside, 'mattermost'), { use_inherited_settings: true });
    expect(again).toMatchObject({ status: 200, body: { active: true, inherited: true } });
    await api.post(`/projects/${inside.id}/issues`, { title: 'Again' });
    expect((await receiver.some(groupPath, 2))[1]?.body.text).toContain('Again');
    const none = await api.put(at(outside, 'mattermost'), { use_inherited_settings: true });
    expect(none).toMatchObject({ status: 400, body: { message: { use_inherited_settings: [expect.any(String)] } } });
  });

  it('takes that of the server, which administrators set up', async () => {
    const place = await world.project({ owner });
    const path = `/${world.unique('server')}`;
    const query = `mutation ($properties: JSON) { updateIntegration(input: { ofServer: true, slug: "discord", properties: $properties }) {
      integration { slug active inherited } } }`;
    const variables = { properties: { webhook: receiver.url(path) } };
    expect((await world.graphql(query, variables, owner)).body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    const { data, errors } = (await world.graphql(query, variables, admin)).body;
    expect(errors).toBeUndefined();
    expect(data.updateIntegration.integration).toEqual({ slug: 'discord', active: true, inherited: false });
    try {
      await api.post(`/projects/${place.id}/issues`, { title: 'For all' });
      expect((await receiver.next(path)).body.embeds[0].description).toContain('For all');
    } finally {
      await world.db.integration.deleteMany({ where: { slug: 'discord', projectId: null, groupId: null } });
    }
  });
});

describe('The log', () => {
  it('has what was sent and what came back, without secrets, and sends tests', async () => {
    const place = await world.project({ owner });
    const path = await setUp('slack', {}, place);
    receiver.answer(path, (_told, response) => response.writeHead(200).end(`no_service ${receiver.url(path)}`));
    await world.issue(place, owner);
    const query = `mutation ($project: ProjectRef!) {
      testIntegration(input: { project: $project, slug: "slack", trigger: ISSUES_EVENTS }) {
        succeeded message delivery { databaseId url state requestHeaders responseStatus responseBody } } }`;
    const tested = await world.graphql(query, { project: place.fullPath }, owner);
    expect(tested.body.errors).toBeUndefined();
    const log = `query ($project: ProjectRef!) { project(ref: $project) { integration(slug: "slack") {
      fields { name isSecret isSet } properties deliveries(first: 5) { nodes { state trigger responseBody requestHeaders url } } } } }`;
    const { data } = (await world.graphql(log, { project: place.fullPath }, owner)).body;
    const { deliveries, fields } = data.project.integration;
    expect(fields[0]).toEqual({ name: 'webhook', isSecret: true, isSet: true });
    expect(deliveries.nodes.length).toBeGreaterThan(0);
    expect(JSON.stringify([tested.body, data])).not.toContain('verysecretpart');
    const stranger = await world.user();
    const hidden = await world.graphql(log, { project: place.fullPath }, stranger);
    expect(hidden.body.data.project?.integration ?? null).toBeNull();
  });
});
