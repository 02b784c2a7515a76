import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runRequests } from '../campaign/requests/run_requests.ts';
import { CampaignServer } from '../campaign/requests/server.ts';

/* A slice of the campaign `requests` (docs/campaigns.md). Answers must be right; time and memory are not looked at. */

/** CAMPAIGN_SEED replays a run, with CAMPAIGN_REQUESTS requests. */
const SEED = Number(process.env.CAMPAIGN_SEED ?? 20_261_130);
const REQUESTS = Number(process.env.CAMPAIGN_REQUESTS ?? 400);

let server: CampaignServer;
beforeAll(async () => {
  server = await CampaignServer.start();
}, 300_000);
afterAll(() => server?.stop(), 60_000);

describe(`Requests and documents that nobody wrote, of seed ${SEED},`, () => {
  test('are answered as documented, without a failure, and tell nobody what is not theirs', {
    timeout: 600_000,
  }, async () => {
    const outcome = await runRequests(server, {
      seed: SEED,
      requests: REQUESTS,
      perWorld: REQUESTS,
      seconds: 500,
      concurrency: 1,
    });
    const wrong = outcome.finds.filter(({ kind }) => kind !== 'stall');
    expect(wrong.map(({ kind, key, request, text }) => `${kind} ${key}\n${request}\n${text}`)).toEqual([]);
    // Some of them did succeed.
    expect(outcome.statuses['200']).toBeGreaterThan(REQUESTS / 10);
  });
});
