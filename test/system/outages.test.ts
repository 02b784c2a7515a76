import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, type OwnPostgres, ownPostgres } from '../support/own_postgres.ts';
import { type ServerProcess, scratchDirectory, settings, startServer, until } from '../support/server_process.ts';

const TOKEN = 'outages-token-0123456789';
const HEADERS = { 'private-token': TOKEN, 'content-type': 'application/json' };

let postgres: OwnPostgres;
let server: ServerProcess;
let project: number;
const scratch = scratchDirectory();

beforeAll(async () => {
  postgres = await ownPostgres();
  const env = { DATABASE_URL: postgres.url, GANTRY_ROOT_TOKEN: TOKEN, PORT: String(await freePort()) };
  server = await startServer(settings(scratch.directory, env));
  project = (await create('/projects', { name: 'outages' })).id;
});

afterAll(async () => {
  await server?.end('SIGTERM');
  await postgres?.remove();
  scratch.remove();
});

async function create(path: string, body: object): Promise<{ id: number }> {
  const response = await fetch(`${server.url}/api/v4${path}`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as { id: number };
}

interface Answered {
  what: string;
  status: number;
  retryAfter: string | null;
  /** `performance.now()` of question and answer. */
  asked: number;
  at: number;
}

/** Asks one thing after the other, of each kind, until it is told to stop; what was created, by title. */
function traffic(name: string) {
  const answers: Answered[] = [];
  const created: string[] = [];
  let stopping = false;
  const note = async (what: string, asking: Promise<Response>): Promise<Response | null> => {
    const asked = performance.now();
    const response = await asking.catch(() => null);
    const status = response?.status ?? 0;
    answers.push({
      what,
      status,
      retryAfter: response?.headers.get('retry-after') ?? null,
      asked,
      at: performance.now(),
    });
    return response;
  };
  const write = async (lane: number) => {
    for (let count = 0; !stopping; count += 1) {
      const title = `${name} ${lane}.${count}`;
      const body = JSON.stringify({ title, labels: `l${count % 3}` });
      const url = `${server.url}/api/v4/projects/${project}/issues`;
      const response = await note('write', fetch(url, { method: 'POST', headers: HEADERS, body }));
      await response?.arrayBuffer();
      if (response?.status === 201) created.push(title);
      await sleep(5);
    }
  };
  const read = async (what: string, path: string, headers: Record<string, string> = HEADERS) => {
    while (!stopping) {
      const response = await note(what, fetch(server.url + path, { headers }));
      await response?.arrayBuffer();
      await sleep(10);
    }
  };
  const ask = async () => {
    while (!stopping) {
      const body = JSON.stringify({ query: '{ viewer { username } }' });
      const answer = fetch(`${server.url}/graphql`, { method: 'POST', headers: HEADERS, body });
      const response = await note('graphql', answer);
      const { errors } = ((await response?.json()) ?? {}) as { errors?: { extensions: { code: string } }[] };
      const last = answers.findLast(({ what }) => what === 'graphql');
      if (errors && last) last.status = errors[0]?.extensions.code === 'UNAVAILABLE' ? 503 : 500;
      if (errors && last) last.retryAfter = 'n';
      await sleep(10);
    }
  };
  const basic = { authorization: `Basic ${Buffer.from(`root:${TOKEN}`).toString('base64')}` };
  const page = { accept: 'text/html', cookie: 'gantry_session=nobody' };
  const lanes = [
    ...[1, 2, 3, 4].map(write),
    read('list', `/api/v4/projects/${project}/issues`),
    read('project', `/api/v4/projects/${project}`),
    read('git', '/root/outages.git/info/refs?service=git-upload-pack', basic),
    read('page', '/users/sign_in', page),
    ask(),
  ];
  return {
    answers,
    created,
    async stop() {
      stopping = true;
      await Promise.all(lanes);
    },
  };
}

/** Connections that listen, by what for. */
async function listeners(): Promise<Record<string, number>> {
  const rows = await postgres.query<{ name: string; count: number }>(`
    SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
    WHERE application_name = 'gantry listener' OR query LIKE 'LISTEN%'
    GROUP BY 1`);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

async function holdsThrough(name: string, fault: () => Promise<void>): Promise<void> {
  const loggedBefore = server.output().length;
  const { answers, created, stop } = traffic(name);
  await sleep(1_000);
  // Jobs that are wanted, and perhaps begun, when the fault comes.
  const early = await Promise.all([1, 2, 3].map((number) => create('/projects', { name: `early ${name} ${number}` })));
  await Promise.all(
    early.map(({ id }) => fetch(`${server.url}/api/v4/projects/${id}`, { method: 'DELETE', headers: HEADERS })),
  );
  const begun = performance.now();
  await fault();
  await postgres.ready();
  const back = performance.now();
  // Another process changes a setting as soon as it can.
  await postgres.query('UPDATE application_settings SET sign_in_text = $1', [name]);
  const doomed = await until(() => create('/projects', { name: `doomed ${name}` }).catch(() => undefined));
  await fetch(`${server.url}/api/v4/projects/${doomed.id}`, { method: 'DELETE', headers: HEADERS });
  await until(async () => {
    const response = await fetch(`${server.url}/api/v4/application/settings`, { headers: HEADERS });
    return ((await response.json()) as { sign_in_text: string }).sign_in_text === name ? true : undefined;
  });
  await sleep(Math.max(0, back + 4_000 - performance.now()));
  await stop();

  const during = answers.filter(({ at }) => at > begun && at < back);
  const slowest = Math.max(0, ...answers.map(({ asked, at }) => at - asked));
  const counts: Record<string, number> = {};
  for (const { what, status } of during) counts[`${what} ${status}`] = (counts[`${what} ${status}`] ?? 0) + 1;
  console.log(`${name}: away ${Math.round(back - begun)} ms, slowest answer ${Math.round(slowest)} ms`, counts);

  const odd = answers.filter(({ status }) => ![200, 201, 503].includes(status));
  if (odd.length > 0)
    console.log(
      server
        .output()
        .slice(loggedBefore)
        .split('\n')
        .filter((line) => /"level":"(warn|error)"/.test(line))
        .slice(0, 5),
    );
  expect(odd).toEqual([]);
  expect(answers.filter(({ status, retryAfter }) => status === 503 && retryAfter === null)).toEqual([]);
  expect(answers.filter(({ status, at }) => status === 503 && at > back + 1_000)).toEqual([]);
  expect(slowest).toBeLessThan(10_000);
  const kept = await postgres.query<{ title: string; count: number }>(
    'SELECT title, count(*)::int AS count FROM issues WHERE starts_with(title, $1) GROUP BY title',
    [`${name} `],
  );
  expect(kept.filter(({ count }) => count !== 1)).toEqual([]);
  const titles = new Set(kept.map(({ title }) => title));
  expect(created.filter((title) => !titles.has(title))).toEqual([]);
  expect(created.length).toBeGreaterThan(10);

  await until(async () => {
    const found = await listeners();
    const counts = Object.values(found);
    return counts.length > 0 && counts.every((count) => count === 1) ? true : undefined;
  });
  // Deletions are jobs: some came before the outage, one after it.
  await until(async () => {
    const ids = [...early, doomed].map(({ id }) => id);
    const [left] = await postgres.query('SELECT 1 FROM projects WHERE id = ANY($1)', [ids]);
    return left ? undefined : true;
  });
  const processes = await postgres.query<{ busy: number }>('SELECT busy FROM job_processes');
  expect(processes.length).toBe(1);
  const log = server.output().slice(loggedBefore).split('\n');
  expect(log.filter((line) => line.includes('"stack"'))).toEqual([]);
  expect(log.filter((line) => /"level":"(warn|error)"/.test(line)).length).toBeLessThan(40);
  expect(server.child.exitCode).toBe(null);
}

describe('An outage of PostgreSQL is forgotten when it is over', () => {
  test('a restart that breaks sessions off', async () => {
    await holdsThrough('fast', async () => {
      await postgres.stop('fast');
      await postgres.start();
    });
  });

  test('a restart after a crash', async () => {
    await holdsThrough('immediate', async () => {
      await postgres.stop('immediate');
      await postgres.start();
    });
  });

  test('the death of one of its processes, after which it restarts all', async () => {
    await holdsThrough('backend', async () => {
      const [victim] = await postgres.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE application_name NOT IN ('test', 'gantry jobs', 'gantry listener') AND backend_type = 'client backend' LIMIT 1",
      );
      process.kill(victim?.pid ?? 0, 'SIGKILL');
      await sleep(200);
    });
  });

  test('ten seconds without it', async () => {
    await holdsThrough('ten', async () => {
      await postgres.stop('fast');
      await sleep(10_000);
      await postgres.start();
    });
  });

  test('twenty-five seconds in which it stands still', async () => {
    await holdsThrough('paused', async () => {
      const goOn = postgres.pause();
      await sleep(25_000);
      goOn();
    });
  });

  test('a minute without it', { timeout: 240_000 }, async () => {
    await holdsThrough('minute', async () => {
      await postgres.stop('immediate');
      await sleep(60_000);
      await postgres.start();
    });
  });
});
