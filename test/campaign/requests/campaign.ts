import { appendFileSync, mkdirSync } from 'node:fs';
import type { Campaign, CampaignOptions } from '../campaign.ts';
import { OPERATIONS } from './rest.ts';
import { type RequestFind, type RequestsOutcome, runRequests } from './run_requests.ts';
import { CampaignServer } from './server.ts';

/** Where finds are written, one a line. */
const FINDS = new URL('./finds/', import.meta.url).pathname;

/** Sends generated requests of all roles to a server. */
export const campaign: Campaign = {
  name: 'requests',
  summary:
    '[--requests n] [--per-world n] [--concurrency n] [--from world] [--kinds rest|graphql]  generated requests and documents of all roles',
  async run({ minutes, seed, given }) {
    const server = await CampaignServer.start();
    try {
      const outcome = await runRequests(server, {
        seed,
        seconds: minutes * 60,
        requests: number(given, 'requests', Infinity),
        perWorld: number(given, 'per-world', 3_000),
        concurrency: number(given, 'concurrency', 4),
        from: number(given, 'from', 0),
        kinds: (given.kinds ?? 'both') as 'both',
        found: (find) => note(find, seed),
        progress: (so) => so.worlds % 5 === 1 && console.log(lineOf(so)),
      });
      console.log(JSON.stringify({ ...outcome, finds: outcome.finds.length }, null, 2));
      console.log(lineOf(outcome));
      return outcome.finds.length === 0;
    } finally {
      await server.stop();
    }
  },
};

function number(given: CampaignOptions['given'], name: string, usual: number): number {
  const value = Number(given[name] ?? usual);
  if (Number.isNaN(value)) throw new Error(`--${name} takes a number`);
  return value;
}

function note(find: RequestFind, seed: number): void {
  mkdirSync(FINDS, { recursive: true });
  appendFileSync(`${FINDS}${seed}.jsonl`, `${JSON.stringify(find)}\n`);
  const { kind, key, text, world, at, request } = find;
  console.log(
    `FOUND ${kind} ${key}\n  --seed ${seed} --from ${world}, request ${at}\n  ${text.slice(0, 600)}\n  ${request.slice(0, 1_000)}`,
  );
}

function lineOf({
  rest,
  graphql,
  worlds,
  seconds,
  statuses,
  operations,
  longestStall,
  idle,
  afterwards,
  finds,
}: RequestsOutcome): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  return [
    `${rest} requests, ${graphql} documents, ${worlds} worlds in ${Math.round(seconds)} s`,
    `${operations} operations of ${OPERATIONS} and two graphs succeeded`,
    counts.join(', '),
    `longest turn ${longestStall} ms`,
    `memory ${idle?.heap}+${idle?.external} MB before, ${afterwards?.heap ?? '?'}+${afterwards?.external ?? '?'} MB after`,
    `${finds.length} finds`,
  ].join('; ');
}
