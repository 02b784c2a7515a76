import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { registry } from '#src/platform/observability/metrics/registry.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const RATE = '{ rateLimit { limit cost used remaining resetAt } }';

const world = await startWorld({ graphqlLimits: { points: 10, visitorPoints: 3 } });
let user: TestUser;

beforeAll(async () => {
  user = await world.user();
});

describe('The points of an hour', () => {
  it('are told, and are used up by a user, whatever the token', async () => {
    const first = await world.graphql(RATE, {}, user);
    expect(first.body.data.rateLimit).toMatchObject({ limit: 10, cost: 1, used: 1, remaining: 9 });
    const left = Date.parse(first.body.data.rateLimit.resetAt) - Date.now();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(3_600_000);
    const large = await world.graphql(
      '{ rateLimit { cost remaining } projects(first: 100) { nodes { id name creator { id } namespace { name } } } }',
      {},
      user,
    );
    expect(large.body.errors).toBeUndefined();
    expect(large.body.data.rateLimit.cost).toBeGreaterThan(1);
    const again = { ...user, token: await world.token(user) };
    let refused = large;
    while (!refused.body.errors) refused = await world.graphql(RATE, {}, again);
    expect(refused.body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfter: expect.any(Number) });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
    // REST has a limit of its own.
    expect((await world.api(user).get('/user')).status).toBe(200);
    expect((await world.graphql(RATE, {}, await world.user())).body.data.rateLimit.used).toBe(1);
  });

  it('are fewer for visitors, by network', LONG, async () => {
    const fresh = await startWorld({ graphqlLimits: { visitorPoints: 2 } }, onTestFinished);
    const answers = [await fresh.graphql(RATE), await fresh.graphql(RATE), await fresh.graphql(RATE)];
    expect(answers.map(({ body }) => body.data?.rateLimit?.remaining ?? body.errors[0].extensions.code)).toEqual([
      1,
      0,
      'RATE_LIMITED',
    ]);
  });
});

describe('What is deprecated', () => {
  it('is told in the answer, and counted by program for administrators alone', LONG, async () => {
    const fresh = await startWorld({}, onTestFinished);
    const [admin, somebody] = [await fresh.user({ admin: true }), await fresh.user()];
    const document = '{ project(ref: "none/none") { restLinks { labels } } }';
    const headers = { 'apollographql-client-name': 'dash', 'PRIVATE-TOKEN': somebody.token };
    const send = () => fresh.send('POST', '/graphql', { headers, body: { query: document } });
    const { body } = await send();
    await send();
    const { body: listed } = await fresh.graphql(
      '{ deprecatedUses { field client credential count reason } }',
      {},
      admin,
    );
    expect(listed.errors).toBeUndefined();
    const reason = 'Use `viewerLabels`. Since 0.3.0; removed in 0.5.0 at the earliest.';
    expect(body.extensions.warnings).toEqual([
      {
        code: 'DEPRECATED',
        field: 'ProjectRestLinks.labels',
        message: `ProjectRestLinks.labels is deprecated: ${reason}`,
      },
    ]);
    expect(listed.data.deprecatedUses).toEqual([
      {
        field: 'ProjectRestLinks.labels',
        client: 'dash',
        credential: 'private_token',
        count: 2,
        reason,
      },
    ]);
    const refused = await fresh.graphql('{ deprecatedUses { field } }', {}, somebody);
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(await registry.metrics()).toContain('client="dash"');
  });
});
