import { beforeAll, describe, expect, it } from 'vitest';
import { startSession } from '#src/access/credentials/sessions/session.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const project = await world.project({ owner });
const origin = new URL(world.url).origin;
let cookie: string;

beforeAll(async () => {
  cookie = `gantry_session=${await startSession(world.db, owner.id)}`;
});

const ME = { query: '{ currentUser { username } }' };
const signedIn = { data: { currentUser: { username: owner.username } } };
const visitor = { data: { currentUser: null } };

const changeOf = (iid: number) => ({
  query: 'mutation ($input: IssueSetAssigneesInput!) { issueSetAssignees(input: $input) { errors } }',
  variables: { input: { projectPath: project.fullPath, iid: String(iid), assigneeUsernames: [owner.username] } },
});

const post = (body: unknown, headers: Record<string, string>) =>
  world.send('POST', '/api/graphql', { body: body as object, headers: { Cookie: cookie, ...headers } });

/** What browsers send for a page of this server, and what they send, or do not send, for others. */
const OWN: Record<string, string>[] = [{ Origin: origin, 'Sec-Fetch-Site': 'same-origin' }, { Origin: origin }];
const FOREIGN: Record<string, string>[] = [
  { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
  { Origin: 'https://evil.example' },
  { Origin: origin, 'Sec-Fetch-Site': 'same-site' },
  { Origin: 'null' },
  {},
];

describe('A browser that is signed in', () => {
  it('reads and changes from pages of the server', async () => {
    const { id, iid } = await world.issue(project, owner);
    for (const headers of OWN) expect((await post(ME, headers)).body).toEqual(signedIn);
    const { body } = await post([ME, changeOf(iid)], OWN[0] ?? {});
    expect(body).toEqual([signedIn, { data: { issueSetAssignees: { errors: [] } } }]);
    expect((await world.db.issue.findUniqueOrThrow({ where: { id } })).assigneeId).toBe(owner.id);
  });

  it('reads by an address that is followed, and changes nothing so', async () => {
    const get = (query: string) =>
      world.send('GET', `/api/graphql?${new URLSearchParams({ query })}`, { headers: { Cookie: cookie } });
    expect((await get(ME.query)).body).toEqual(signedIn);
    const { iid } = await world.issue(project, owner);
    const inline = `mutation { issueSetAssignees(input: { projectPath: "${project.fullPath}", iid: "${iid}", assigneeUsernames: [] }) { errors } }`;
    expect((await get(inline)).status).toBe(422);
  });

  it.each(FOREIGN)('is a visitor to requests that pages of other origins make it send: %o', async (headers) => {
    const { id, iid } = await world.issue(project, owner);
    expect((await post(ME, headers)).body).toEqual(visitor);
    for (const batch of [
      [ME, changeOf(iid)],
      [changeOf(iid), ME],
      [ME, ME, changeOf(iid)],
    ]) {
      const { status, body } = await post(batch, headers);
      expect([status, body.length]).toEqual([200, batch.length]);
      for (const [index, one] of body.entries()) {
        if (batch[index] === ME) expect(one).toEqual(visitor);
        else
          expect(one).toMatchObject({ data: { issueSetAssignees: null }, errors: [{ path: ['issueSetAssignees'] }] });
      }
    }
    expect((await world.db.issue.findUniqueOrThrow({ where: { id } })).assigneeId).toBeNull();
  });

  it('is a visitor to forms and texts that other origins can send without asking', async () => {
    const { id, iid } = await world.issue(project, owner);
    const { query, variables } = changeOf(iid);
    const form = new URLSearchParams({ query, variables: JSON.stringify(variables) }).toString();
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', form],
      ['text/plain', JSON.stringify([ME, changeOf(iid)])],
    ] as const) {
      const response = await fetch(`${world.url}/api/graphql`, {
        method: 'POST',
        body,
        headers: { Cookie: cookie, 'Content-Type': type, Origin: 'https://evil.example' },
      });
      expect(JSON.stringify(await response.json())).toContain('"issueSetAssignees":null');
    }
    expect((await world.db.issue.findUniqueOrThrow({ where: { id } })).assigneeId).toBeNull();
  });

  it('is a visitor once it has signed out', async () => {
    const ended = await startSession(world.db, owner.id);
    const headers = { ...OWN[0], Cookie: `gantry_session=${ended}` };
    expect((await post(ME, headers)).body).toEqual(signedIn);
    await world.db.session.deleteMany({ where: { userId: owner.id } });
    expect((await post(ME, headers)).body).toEqual(visitor);
  });
});
