// One part in depth, which the long run has.
// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { administer } from '../support/database.ts';
import { subscribe } from '../support/live.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const ISSUES = 'subscription ($in: SubscriptionScope!) { issueChanged(in: $in) { title } }';

const world = await startWorld();
let owner: TestUser;
let listener: pg.Client;
const told: string[] = [];

beforeAll(async () => {
  owner = await world.user();
  listener = new pg.Client({ connectionString: world.databaseUrl });
  await listener.connect();
  listener.on('notification', ({ payload = '' }) => told.push(payload));
  await listener.query('LISTEN gantry_changes');
});

afterAll(() => listener.end());

describe('The database tells of changes', () => {
  it('only while somebody subscribes, as transactions that notify wait for each other', LONG, async () => {
    const project = await world.project({ owner });
    const open = (title: string) => world.api(owner).post(`/projects/${project.id}/issues`, { title });
    await open('Nobody hears of this');
    await sleep(200);
    expect(told).toEqual([]);
    const live = await subscribe('Server-Sent Events', world.url, ISSUES, {
      variables: { in: { project: project.id } },
      token: owner.token,
    });
    await open('Heard');
    expect((await live.next()).data.issueChanged.title).toBe('Heard');
    expect(told).toEqual(expect.arrayContaining([expect.stringMatching(/^issue \d+ \d+$/)]));
    await live.close();
  });

  it('not for a process that has not been heard of for a minute', async () => {
    await administer(world.databaseUrl, (client) =>
      client.query(`UPDATE change_listeners SET seen_at = now() - interval '61 seconds'`),
    );
    const before = told.length;
    const project = await world.project({ owner });
    await world.api(owner).post(`/projects/${project.id}/issues`, { title: 'Late' });
    await sleep(200);
    expect(told.slice(before)).toEqual([]);
  });

  it('of all that commits once a client is told that it is subscribed', LONG, async () => {
    const fresh = await startWorld({}, onTestFinished);
    const somebody = await fresh.user();
    const project = await fresh.project({ owner: somebody });
    const { body: issue } = await fresh.api(somebody).post(`/projects/${project.id}/issues`, { title: 'Before' });
    let isSubscribed = false;
    const live = await administer(fresh.databaseUrl, async (client) => {
      // It has looked already whether somebody listens.
      await client.query('BEGIN');
      await client.query(`UPDATE issues SET title = 'Under way' WHERE id = $1`, [issue.id]);
      const subscribing = subscribe('Server-Sent Events', fresh.url, ISSUES, {
        variables: { in: { project: project.id } },
        token: somebody.token,
      }).then((open) => {
        isSubscribed = true;
        return open;
      });
      await sleep(500);
      expect(isSubscribed).toBe(false);
      await client.query('COMMIT');
      return subscribing;
    });
    await fresh.api(somebody).put(`/projects/${project.id}/issues/${issue.iid}`, { title: 'After' });
    expect((await live.next()).data.issueChanged.title).toBe('After');
    await live.close();
  });
});
