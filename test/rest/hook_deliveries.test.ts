// One part in depth, which the long run has.
// @module-tag long
import crypto from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { hookSubscriptions } from '#src/domain/changes/wanted_hooks.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startMailbox } from '../support/mailbox.ts';
import { startReceiver, type Told } from '../support/receiver.ts';
import { startWorld } from '../support/world.ts';

const mailbox = await startMailbox();
const world = await startWorld({ smtp: mailbox.url });
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const owner = await world.user();
const admin = await world.user({ admin: true });
const api = world.api(owner);
let project: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner });
});

interface Made {
  id: number;
  path: string;
  /** Routes of the hook. */
  at: string;
}

async function hook(given: object = {}, to: { id: number } = project): Promise<Made> {
  const path = `/${world.unique('receiver')}`;
  const wants = { push_events: false, issues_events: true };
  const { status, body } = await api.post(`/projects/${to.id}/hooks`, { url: receiver.url(path), ...wants, ...given });
  expect(status).toBe(201);
  return { id: body.id, path, at: `/projects/${to.id}/hooks/${body.id}` };
}

const change = (title: string, to: { id: number } = project) => api.post(`/projects/${to.id}/issues`, { title });
const titles = (told: Told[]) => told.map(({ body }) => body.object_attributes.title);
const row = (id: number) => world.db.hook.findUniqueOrThrow({ where: { id } });
/** Has a hook that waits for its next attempt tried now. */
async function retryNow(id: number) {
  await world.db.hook.update({ where: { id }, data: { retryAt: new Date(Date.now() - 1000) } });
  await world.db.$transaction((tx) => world.as(owner).jobs.enqueue(tx, 'hooks.deliver', {}));
}
const settled = (id: number, state: string) =>
  world.until(async () => (await world.db.hookDelivery.count({ where: { hookId: id, state } })) > 0);

describe('A request', () => {
  it('says who sent it, when, and what it is about, so that libraries of Standard Webhooks verify it', async () => {
    const { path } = await hook({ token: 'a secret' });
    const begun = Date.now();
    await change('Signed');
    const { headers, text, at } = await receiver.next(path);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Gantry-Webhooks',
      'x-gitlab-event': 'Issue Hook',
      'x-gitlab-token': 'a secret',
      'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'content-length': String(Buffer.byteLength(text)),
    });
    const stamp = Number(headers['webhook-timestamp']) * 1000;
    expect(stamp).toBeGreaterThanOrEqual(begun - 1000);
    expect(stamp).toBeLessThanOrEqual(at + 1000);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
    const expected = crypto.createHmac('sha256', 'a secret').update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
  });

  it('has neither token nor signature without a secret, and the user of the URL as Basic authentication', async () => {
    const url = receiver.url('/basic').replace('http://', 'http://ann:p%40ss@');
    await api.post(`/projects/${project.id}/hooks`, { url, push_events: false, issues_events: true });
    await change('Plain');
    const { headers } = await receiver.next('/basic');
    expect(headers).not.toHaveProperty('x-gitlab-token');
    expect(headers).not.toHaveProperty('webhook-signature');
    expect(headers.authorization).toBe(`Basic ${Buffer.from('ann:p@ss').toString('base64')}`);
  });
});

describe('Order', () => {
  it('is that of the changes, for each hook', LONG, async () => {
    const place = await world.project({ owner });
    const paths = [await hook({}, place), await hook({}, place), await hook({}, place)].map(({ path }) => path);
    const wanted = Array.from({ length: 30 }, (_, index) => `Number ${index}`);
    for (const title of wanted) await change(title, place);
    for (const path of paths) expect(titles(await receiver.some(path, 30))).toEqual(wanted);
  });

  it('is kept while a delivery is tried again: the later ones wait for it, with the ID that it had', LONG, async () => {
    const place = await world.project({ owner });
    const { id, path } = await hook({}, place);
    receiver.answer(path, 500);
    await change('First', place);
    await receiver.next(path);
    await world.until(async () => (await row(id)).failures === 1);
    await change('Second', place);
    await change('Third', place);
    receiver.answer(path, 200);
    await retryNow(id);
    const told = await receiver.some(path, 4);
    expect(titles(told)).toEqual(['First', 'First', 'Second', 'Third']);
    const [first, again, second] = told.map(({ headers }) => headers['webhook-id']);
    expect(again).toBe(first);
    expect(second).not.toBe(first);
    expect(told[1]?.text).toBe(told[0]?.text);
    await world.until(async () => (await row(id)).failures === 0);
    expect(await row(id)).toMatchObject({ failingSince: null, retryAt: null });
  });
});

describe('A receiver that hangs', () => {
  it('holds back its own hook alone, and is given up after ten seconds', LONG, async () => {
    const place = await world.project({ owner });
    const [slow, quick] = [await hook({}, place), await hook({}, place)];
    receiver.answer(slow.path, () => undefined);
    for (const title of ['One', 'Two', 'Three']) await change(title, place);
    expect(titles(await receiver.some(quick.path, 3))).toEqual(['One', 'Two', 'Three']);
    expect(titles(receiver.at(slow.path))).toEqual(['One']);
    await world.until(async () => (await row(slow.id)).failures === 1);
    const [delivery] = (await api.get(`${slow.at}/events`)).body.slice(-1);
    expect(delivery).toMatchObject({ response_status: null, response_body: null });
    expect(delivery.execution_duration).toBeGreaterThanOrEqual(9.9);
    const { error } = await world.db.hookDelivery.findFirstOrThrow({ where: { hookId: slow.id, attempts: 1 } });
    expect(error).toBe('Nothing came back within 10 seconds.');
    expect(titles(receiver.at(slow.path))).toEqual(['One']);
  });

  it('that sends its answer without end is read for 64 KiB', async () => {
    const { id, path } = await hook();
    receiver.answer(path, (_told, response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write('x'.repeat(16_384)));
        response.once('drain', more);
      };
      more();
    });
    await change('Endless');
    await settled(id, 'delivered');
    const { responseBody } = await world.db.hookDelivery.findFirstOrThrow({ where: { hookId: id } });
    expect(responseBody).toBe('x'.repeat(65_536));
  });
});

describe('Connections', () => {
  it('follow no redirect', async () => {
    const { id, path } = await hook();
    receiver.answer(path, (_told, response) => response.writeHead(302, { Location: receiver.url('/elsewhere') }).end());
    await change('Redirected');
    await world.until(async () => (await row(id)).failures === 1);
    expect(receiver.at('/elsewhere')).toEqual([]);
    const delivery = await world.db.hookDelivery.findFirstOrThrow({ where: { hookId: id } });
    expect(delivery).toMatchObject({ state: 'waiting', responseStatus: 302 });
  });

  it('are not made to a host whose addresses are private, whenever it says so', async () => {
    const place = await world.project({ owner });
    const { id, path } = await hook({}, place);
    const port = new URL(receiver.url('/')).port;
    await api.put(`/projects/${place.id}/hooks/${id}`, { url: `http://rebound.example:${port}${path}` });
    const { lookup } = world.imports;
    Object.assign(world.imports, { lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
    try {
      await change('Rebound', place);
      await world.until(async () => (await row(id)).failures === 1);
    } finally {
      Object.assign(world.imports, { lookup });
    }
    expect(receiver.at(path)).toEqual([]);
    const { error } = await world.db.hookDelivery.findFirstOrThrow({ where: { hookId: id } });
    expect(error).toBe('The URL is blocked: its address is not a public one.');
  });

  it('that break off, or speak no HTTP, are failures like others', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-Nothing\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { body } = await api.post(`/projects/${project.id}/hooks`, {
      url: `http://127.0.0.1:${port}/`,
      push_events: false,
      issues_events: true,
    });
    await change('Odd');
    await world.until(async () => (await row(body.id)).failures === 1);
    server.close();
    const { error } = await world.db.hookDelivery.findFirstOrThrow({ where: { hookId: body.id } });
    expect(error).toBe('The receiver did not answer in HTTP.');
  });
});

describe('A delivery that fails', () => {
  it('is tried with growing delays', LONG, async () => {
    const { id, path } = await hook();
    receiver.answer(path, 503);
    await change('Delayed');
    const waits: number[] = [];
    for (const failures of [1, 2, 3]) {
      await world.until(async () => (await row(id)).failures === failures);
      const { retryAt } = await row(id);
      waits.push(Math.round((Number(retryAt) - Date.now()) / 10_000));
      await retryNow(id);
    }
    await world.until(async () => (await row(id)).failures === 4);
    expect(waits[0]).toBeLessThan(waits[1] ?? 0);
    expect(waits[1]).toBeLessThan(waits[2] ?? 0);
  });

  it('is given up after a day, and the next one has its turn', async () => {
    const place = await world.project({ owner });
    const { id, path } = await hook({}, place);
    receiver.answer(path, (told, response) =>
      response.writeHead(told.body.object_attributes.title === 'Bad' ? 500 : 200).end(),
    );
    await change('Bad', place);
    await world.until(async () => (await row(id)).failures === 1);
    await change('Good', place);
    const dayAgo = new Date(Date.now() - 25 * 3_600_000);
    await world.db.hookDelivery.updateMany({ where: { hookId: id, attempts: 1 }, data: { firstAttemptAt: dayAgo } });
    await retryNow(id);
    await settled(id, 'failed');
    await retryNow(id);
    await receiver.next(path, ({ body }) => body.object_attributes.title === 'Good');
  });

  it('for three days switches the hook off, and its masters hear of it by mail', LONG, async () => {
    const place = await world.project({ owner });
    const { id, path, at } = await hook({}, place);
    receiver.answer(path, 500);
    await change('First', place);
    await world.until(async () => (await row(id)).failures === 1);
    await change('Second', place);
    const longAgo = new Date(Date.now() - 4 * 24 * 3_600_000);
    await world.db.hook.update({ where: { id }, data: { failingSince: longAgo } });
    await retryNow(id);
    await world.until(async () => (await row(id)).disabledAt !== null);
    const mail = await mailbox.next(`${owner.username}@example.org`);
    expect(mail.subject).toBe(`Webhook of ${place.fullPath} was switched off`);
    expect(mail.text.split('\r\n')).toContain(`${world.url}/${place.fullPath}/-/hooks/${id}`);
    const QUERY =
      'query ($id: ID!) { webhook(id: $id) { disabledAt failures deliveries(first: 5) { nodes { state } } } }';
    const { body } = await world.graphql(QUERY, { id: String(id) }, owner);
    expect(body.data.webhook).toMatchObject({ disabledAt: expect.any(String), failures: 2 });
    expect(body.data.webhook.deliveries.nodes).toEqual([{ state: 'FAILED' }, { state: 'FAILED' }]);

    const before = receiver.at(path).length;
    await change('Unheard', place);
    expect(await world.db.hookDelivery.count({ where: { hookId: id } })).toBe(2);
    receiver.answer(path, 200);
    const enable = 'mutation ($id: ID!) { enableWebhook(input: { id: $id }) { webhook { disabledAt failures } } }';
    const enabled = await world.graphql(enable, { id: String(id) }, owner);
    expect(enabled.body.data.enableWebhook.webhook).toEqual({ disabledAt: null, failures: 0 });
    await change('Heard', place);
    await receiver.next(path, ({ body }) => body.object_attributes.title === 'Heard');
    expect(receiver.at(path)).toHaveLength(before + 1);
    expect((await api.get(at)).status).toBe(200);
  });

  it('lets no more than 10,000 wait, and counts those that it drops', LONG, async () => {
    const place = await world.project({ owner });
    const { id, path } = await hook({}, place);
    receiver.answer(path, 500);
    await change('First', place);
    await world.until(async () => (await row(id)).failures === 1);
    const { eventId } = await world.db.hookDelivery.findFirstOrThrow({ where: { hookId: id } });
    await world.db.$executeRaw`
      INSERT INTO hook_deliveries (hook_id, event_id) SELECT ${id}, ${eventId} FROM generate_series(1, 10004)`;
    await retryNow(id);
    await world.until(async () => (await row(id)).failures === 2);
    expect(await world.db.hookDelivery.count({ where: { hookId: id, state: 'waiting' } })).toBe(10_000);
    expect(await row(id)).toMatchObject({ dropped: 5 });
    await api.delete(`/projects/${place.id}/hooks/${id}`);
    expect(await world.db.hookDelivery.count({ where: { hookId: id } })).toBe(0);
  });
});

describe('The log of deliveries', () => {
  it('has request and response without the secret, the latest first', async () => {
    const place = await world.project({ owner });
    const { id, path, at } = await hook({ token: 'never shown' }, place);
    receiver.answer(path, (_told, response) => response.writeHead(201, { 'X-Receiver': 'mine' }).end('thanks'));
    await change('One', place);
    await change('Two', place);
    await world.until(
      async () => (await world.db.hookDelivery.count({ where: { hookId: id, state: 'delivered' } })) === 2,
    );
    const { status, headers, body } = await api.get(`${at}/events`);
    expect([status, headers['x-total']]).toEqual([200, '2']);
    expect(body[0]).toEqual({
      id: expect.any(Number),
      url: receiver.url(path),
      trigger: 'issue_hooks',
      request_headers: expect.objectContaining({ 'x-gitlab-event': 'Issue Hook', 'x-gitlab-token': '[REDACTED]' }),
      request_data: receiver.at(path)[1]?.body,
      response_headers: expect.objectContaining({ 'x-receiver': 'mine' }),
      response_body: 'thanks',
      execution_duration: expect.any(Number),
      response_status: '201',
    });
    expect(JSON.stringify(body)).not.toContain('never shown');
  });

  it('lets a master send an event again, with the ID that it had', LONG, async () => {
    const place = await world.project({ owner });
    const { id, path, at } = await hook({}, place);
    await change('Again', place);
    await settled(id, 'delivered');
    const [event] = (await api.get(`${at}/events`)).body;
    const resent = await api.post(`${at}/events/${event.id}/resend`);
    expect([resent.status, resent.body]).toEqual([201, { response_status: 200 }]);
    const [first, second] = await receiver.some(path, 2);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.text).toBe(first?.text);
    expect(await api.post(`${at}/events/999999/resend`)).toMatchObject({ status: 404 });
    const elsewhere = await hook({}, place);
    expect(await api.post(`${elsewhere.at}/events/${event.id}/resend`)).toMatchObject({ status: 404 });
  });

  it('keeps the last hundred of a hook, for a month', async () => {
    const { id } = await hook({ issues_events: false });
    const facts = {};
    const event = await world.db.hookEvent.create({ data: { kind: 'issue', facts, payload: '{}' } });
    const old = new Date(Date.now() - 40 * 24 * 3_600_000);
    const data = (createdAt: Date, state = 'delivered') => ({ hookId: id, eventId: event.id, createdAt, state });
    await world.db.hookDelivery.createMany({
      data: [
        ...Array.from({ length: 20 }, () => data(old)),
        ...Array.from({ length: 90 }, () => data(new Date())),
        data(old, 'waiting'),
      ],
    });
    await world.handlers()['hooks.prune']({}, undefined as never);
    expect(await world.db.hookDelivery.count({ where: { hookId: id } })).toBe(91);
    await world.db.hookDelivery.createMany({ data: Array.from({ length: 30 }, () => data(new Date())) });
    await world.handlers()['hooks.prune']({}, undefined as never);
    expect(await world.db.hookDelivery.count({ where: { hookId: id, state: 'delivered' } })).toBe(100);
  });

  it('goes with the project, and its events when nothing is about them any more', LONG, async () => {
    const place = await world.project({ owner });
    const { id } = await hook({}, place);
    await change('Gone', place);
    await settled(id, 'delivered');
    await api.delete(`/projects/${place.id}`);
    await world.until(async () => (await world.db.hook.count({ where: { id } })) === 0);
    expect(await world.db.hookDelivery.count({ where: { hookId: id } })).toBe(0);
    const ofProject = { projectId: place.id };
    await world.db.hookEvent.updateMany({ where: ofProject, data: { createdAt: new Date(Date.now() - 7_200_000) } });
    await world.handlers()['hooks.prune']({}, undefined as never);
    expect(await world.db.hookEvent.count({ where: ofProject })).toBe(0);
  });
});

describe('POST /projects/:id/hooks/:hook_id/test/:trigger', () => {
  it('sends the latest of such an event at once', async () => {
    const place = await world.project({ owner });
    const { path, at } = await hook({ issues_events: false }, place);
    await change('Latest', place);
    const tested = await api.post(`${at}/test/issues_events`);
    expect([tested.status, tested.body]).toEqual([201, { message: 'The receiver answered with status 200.' }]);
    const { body } = await receiver.next(path);
    expect(body).toMatchObject({ object_kind: 'issue', object_attributes: { title: 'Latest' } });
    receiver.answer(path, 500);
    const failed = await api.post(`${at}/test/issues_events`);
    expect(failed.body).toEqual({ message: 'The receiver answered with status 500.' });
    expect((await api.get(`${at}/events`)).body).toHaveLength(2);
  });

  it(
    '422 where there is no such record, 400 for a kind that there is not, 429 for the eleventh in a minute',
    LONG,
    async () => {
      const place = await world.project({ owner });
      const { at } = await hook({}, place);
      for (const trigger of [
        'push_events',
        'tag_push_events',
        'merge_requests_events',
        'job_events',
        'wiki_page_events',
      ]) {
        expect((await world.api(admin).post(`${at}/test/${trigger}`)).status).toBe(422);
      }
      expect((await api.post(`${at}/test/everything`)).status).toBe(400);
      await change('One', place);
      const eager = await world.user();
      await world.member(place, eager, 'master');
      const statuses = [];
      for (let use = 0; use < 11; use++)
        statuses.push((await world.api(eager).post(`${at}/test/issues_events`)).status);
      expect(statuses).toEqual([...Array(10).fill(201), 429]);
    },
  );
});

describe('POST /groups/:id/hooks/:hook_id/test/:trigger', () => {
  it('sends the latest such event below the group, and is 422 unless the receiver answers with 2xx', async () => {
    const group = await world.group({ owner });
    const below = await world.project({ owner, namespaceId: group.id });
    const path = `/${world.unique('receiver')}`;
    const { body: made } = await api.post(`/groups/${group.id}/hooks`, { url: receiver.url(path) });
    const at = `/groups/${group.id}/hooks/${made.id}`;
    expect((await api.post(`${at}/test/issues_events`)).status).toBe(422);
    await change('Below', below);
    expect(await api.post(`${at}/test/issues_events`)).toMatchObject({ status: 201, body: { message: '201 Created' } });
    expect((await receiver.next(path)).body).toMatchObject({ object_attributes: { title: 'Below' } });
    receiver.answer(path, 500);
    expect(await api.post(`${at}/test/issues_events`)).toMatchObject({
      status: 422,
      body: { message: 'The receiver answered with status 500.' },
    });
    expect((await api.post(`${at}/test/everything`)).status).toBe(400);
  });

  it('404 for a webhook of another group, 403 and 404 for others than owners', async () => {
    const [group, other] = [await world.group({ owner }), await world.group({ owner })];
    const { body: made } = await api.post(`/groups/${group.id}/hooks`, { url: receiver.url('/none') });
    const test = (id: number, who = owner) => world.api(who).post(`/groups/${id}/hooks/${made.id}/test/push_events`);
    expect((await test(other.id)).status).toBe(404);
    const stranger = await world.user();
    expect([403, 404]).toContain((await test(group.id, stranger)).status);
  });
});

describe('Processes', () => {
  it('learn from each other that a hook wants to hear of something', async () => {
    await world.db.hook.deleteMany();
    await world.until(async () => !(await hookSubscriptions(world.db)).mergeRequest);
    // As another process does it: nothing tells this one but the database.
    await world.db.hook.create({
      data: { projectId: project.id, url: 'http://127.0.0.1/', mergeRequestsEvents: true },
    });
    await world.until(async () => (await hookSubscriptions(world.db)).mergeRequest);
  });
});

describe('Slow receivers', () => {
  it('keep nobody waiting but themselves, however many they are', LONG, async () => {
    // As many as are delivered to at once.
    const COUNT = 64;
    const crowd = await world.project({ owner });
    const slow = await Promise.all(Array.from({ length: COUNT }, () => hook({}, crowd)));
    for (const { path } of slow)
      receiver.answer(path, (_told, response) => void setTimeout(() => response.writeHead(200).end(), 1_200));
    await change('First', crowd);
    for (const { id } of slow) await settled(id, 'delivered');

    const held: ServerResponse[] = [];
    let ended = 0;
    for (const { path } of slow) {
      receiver.answer(path, (_told, response) => {
        held.push(response);
        response.once('close', () => (ended += 1));
      });
    }
    await change('Second', crowd);
    await world.until(async () => held.length === COUNT);
    const quick = await hook();
    await change('Meanwhile');
    await receiver.next(quick.path);
    expect(ended).toBe(0);
    for (const response of held) response.writeHead(200).end();
    // Those that have become quick are told of what comes next as all others are.
    for (const { path } of slow) receiver.answer(path, 200);
    await change('Third', crowd);
    for (const { path } of slow) await receiver.some(path, 3);
    expect(slow.map(({ path }) => titles(receiver.at(path)))).toEqual(slow.map(() => ['First', 'Second', 'Third']));
  });

  it('keep nobody waiting before they are known to be slow either', LONG, async () => {
    const held: ServerResponse[] = [];
    let ended = 0;
    const crowd = await world.project({ owner });
    for (let count = 0; count < 64; count += 1) {
      const { path } = await hook({}, crowd);
      receiver.answer(path, (_told, response) => {
        held.push(response);
        response.once('close', () => (ended += 1));
      });
    }
    await change('First', crowd);
    await world.until(async () => held.length === 64);
    const quick = await hook();
    await change('Meanwhile');
    await receiver.next(quick.path);
    expect(ended).toBe(0);
    for (const response of held) response.writeHead(200).end();
  });
});
