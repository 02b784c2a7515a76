import { lutimesSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../support/http.ts';
import { until } from '../../support/server_process.ts';
import { broken, Ledger, perform, type Send, type Stage, sender, setStage } from '../acts.ts';
import type { Campaign } from '../campaign.ts';
import { complaintsOf, repositories } from '../power/campaign.ts';
import { seeded } from '../seeded.ts';
import { Installation, TARGETS } from './installation.ts';

const TOKEN = 'kills-token-0123456789';

export interface KillsOptions {
  seed: number;
  kills: number;
  /** Seconds between two kills at most; a third of that at least. */
  pause: number;
}

export interface KillsResult {
  kills: Record<string, number>;
  promised: Record<string, number>;
  /** What was not as it was said, or wrong with the files. */
  found: string[];
}

/** Kills processes of an installation that is busy, and looks in the end whether everything is there that was acknowledged, once. */
export async function runKills(
  { seed, kills, pause }: KillsOptions,
  say: (line: string) => void,
): Promise<KillsResult> {
  const installation = await Installation.start(TOKEN);
  try {
    const url = () => installation.url;
    const send = sender(url, TOKEN);
    const ledger = new Ledger();
    const stop = new AbortController();
    const stage = await setStage({ send, url, token: TOKEN, ledger, random: seeded(seed), signal: stop.signal });
    const clients = perform(stage);
    const random = seeded(seed + 1);
    for (let done = 0; done < kills; ) {
      await sleep(pause * (1 / 3 + (random() * 2) / 3) * 1000);
      const target = TARGETS[Math.floor(random() * TARGETS.length)] ?? 'server';
      if (!(await installation.kill(target, random))) continue;
      done += 1;
      if (done % 50 === 0)
        say(
          `${done} kills; acknowledged ${JSON.stringify(ledger.counts())}; answers ${JSON.stringify([...ledger.statuses])}`,
        );
    }
    await installation.started();
    stop.abort();
    await clients;
    say(
      `killed ${JSON.stringify(installation.kills)}; acknowledged ${JSON.stringify(ledger.counts())}; answers ${JSON.stringify([...ledger.statuses])}`,
    );
    // The request whose git is killed may get 500, and nothing of it is done; others are told: later.
    const failures = ledger.refusals.filter((refusal) => / 500 /.test(refusal));
    const others = ledger.refusals.filter((refusal) => !failures.includes(refusal));
    for (const failure of failures) say(failure);
    const excess = failures.length > installation.kills.git ? failures : [];
    const found = [...others, ...excess, ...(await lookAt(installation, stage))];
    return { kills: installation.kills, promised: ledger.counts(), found };
  } finally {
    await installation.end();
  }
}

async function lookAt(installation: Installation, stage: Stage): Promise<string[]> {
  const { send, ledger } = stage;
  await until(async () => (await send('GET', '/-/readiness')).status === 200 || undefined);
  // As at the next start of a server: the last one may have been before the database was killed in the middle of a push.
  await installation.postgres.query("INSERT INTO pgboss.job (name, data) VALUES ('repositories.reconcile', '{}')");
  const left = await settled(installation);
  // An hour later, clean-up removes what dead processes left behind.
  age(installation.data);
  await installation.postgres.query(
    "INSERT INTO pgboss.job (name, data) VALUES ('repositories.maintain', '{}'), ('repositories.remove', '{}')",
  );
  left.push(...(await settled(installation)), ...installation.left().map((name) => `${name} is left`));
  const env = installation.environment();
  const complaints = [...(await complaintsOf(['fsck'], env)), ...(await complaintsOf(['doctor'], env))];
  return [
    ...left,
    ...(await broken(send, ledger)),
    ...(await twice(send, stage)),
    ...complaints,
    ...repositories(path.join(installation.data, 'repositories')),
  ];
}

/** Makes all files look as if nobody had touched them for two hours. */
function age(directory: string): void {
  const then = Date.now() / 1000 - 7200;
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    try {
      lutimesSync(path.join(entry.parentPath, entry.name), then, then);
    } catch {
      // It is gone.
    }
  }
}

/** Waits until no job is left to be done, those that are tried again later included; what was given up, or is left after minutes. */
async function settled({ postgres }: Installation): Promise<string[]> {
  const deadline = performance.now() + 300_000;
  for (;;) {
    const rows = await postgres.query<{ name: string; state: string; output: Json }>(
      `SELECT name, state, output FROM pgboss.job
        WHERE NOT starts_with(name, '__') AND (state IN ('created', 'retry', 'active') AND start_after < now() + interval '10 minutes' OR state = 'failed')`,
    );
    const open = rows.filter(({ state }) => state !== 'failed');
    if (open.length === 0 || performance.now() > deadline) {
      return rows.map(({ name, state, output }) => `job ${name} is ${state}: ${JSON.stringify(output)?.slice(0, 300)}`);
    }
    await sleep(500);
  }
}

async function everything(send: Send, target: string): Promise<Json[]> {
  const found: Json[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body, text } = await send(
      'GET',
      `${target}${target.includes('?') ? '&' : '?'}per_page=100&page=${page}`,
    );
    if (status !== 200) throw new Error(`${target}: ${status} ${text}`);
    found.push(...body);
    if (body.length < 100) return found;
  }
}

/** What is there more than once, and counters that are not what they count. */
async function twice(send: Send, { project, ledger }: Stage): Promise<string[]> {
  const base = `/v4/projects/${project}`;
  const found: string[] = [];
  const once = (what: string, names: string[]) => {
    const seen = new Set<string>();
    for (const name of names) {
      if (seen.has(name)) found.push(`${what} ${name} is there twice`);
      seen.add(name);
    }
    return seen;
  };
  const issues = await everything(send, `${base}/issues`);
  once(
    'issue',
    issues.map(({ title }) => title),
  );
  once(
    'number',
    issues.map(({ iid }) => String(iid)),
  );
  once(
    'merge request',
    (await everything(send, `${base}/merge_requests?state=all`)).map(({ title }) => title),
  );
  once(
    'pipeline',
    (await everything(send, `${base}/pipelines`)).map(({ ref, sha }) => `${ref} ${sha}`),
  );
  once('taken job', ledger.taken.map(String));
  once(
    'package',
    (await everything(send, `${base}/packages`)).map(({ name, version }) => `${name} ${version}`),
  );
  const commits = await everything(send, `${base}/repository/commits`);
  // A commit by the API is made once, whatever became of its answer.
  once(
    'commit',
    commits.filter(({ parent_ids: parents }) => parents.length < 2).map(({ title }) => title),
  );
  const events = await everything(send, `${base}/events?action=pushed`);
  const pushed = events.flatMap(({ push_data: data }) =>
    data ? [`${data.action} ${data.ref} ${data.commit_from} ${data.commit_to}`] : [],
  );
  once('event of a push', pushed);
  const { body } = await send('GET', `${base}?statistics=true`);
  if (body.open_issues_count !== issues.length)
    found.push(`${body.open_issues_count} open issues are counted, and there are ${issues.length}`);
  if (body.statistics.commit_count !== commits.length)
    found.push(`${body.statistics.commit_count} commits are counted, and there are ${commits.length}`);
  return found;
}

export const campaign: Campaign = {
  name: 'kills',
  summary: 'Servers, a worker, the database and git are killed while people work [--kills 1000] [--pause 1.5]',
  async run({ seed, given }) {
    const options = { seed, kills: Number(given.kills ?? 1000), pause: Number(given.pause ?? 1.5) };
    const begun = performance.now();
    const { kills, found } = await runKills(options, (line) => console.log(line));
    for (const line of found) console.log(`found: ${line.slice(0, 1000)}`);
    const total = Object.values(kills).reduce((sum, count) => sum + count, 0);
    console.log(`${total} kills in ${Math.round((performance.now() - begun) / 1000)} s: ${found.length} finds`);
    return found.length === 0;
  },
};
