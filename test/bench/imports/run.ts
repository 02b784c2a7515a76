import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { postgresPid, printed, scratchDirectory, settings, startServer } from '../../support/server_process.ts';
import { residentMegabytes } from '../process_tree.ts';

/** What the project at the source has. */
const ISSUES = Number(process.env.IMPORT_ISSUES ?? 10_000);
const COMMENTS = Number(process.env.IMPORT_COMMENTS ?? 100_000);
/** Milliseconds between two requests of somebody else, and between two looks at the memory. */
const PAUSE_MS = 25;

/** Measures how long a large project takes to be moved in from another server, and to be brought up to date, and what that costs. */
export async function measureImports(print: (text: string) => void): Promise<void> {
  const [own, elsewhere] = [scratchDirectory(), scratchDirectory()];
  const program = fileURLToPath(new URL('source.ts', import.meta.url));
  const source = spawn(process.execPath, [program, elsewhere.directory, String(ISSUES), String(COMMENTS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(source.stdout.setEncoding('utf8'), 'data')) as [string];
  const host = `127.0.0.1:${port.trim()}`;
  const data = path.join(own.directory, 'data');
  const server = await startServer(settings(data, { GANTRY_IMPORT_HOSTS: host }));
  const token = printed(server.output(), 'Private token') ?? '';
  const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' };
  const ask = async (at: string, body?: object) => {
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    return (await fetch(`${server.url}${at}`, init)).json() as Promise<never>;
  };
  /** Megabytes of the server without its database. */
  const resident = () => residentMegabytes(server.child.pid ?? 0, postgresPid(data));
  const measure = async (what: string, begin: () => Promise<unknown>, isOver: () => Promise<boolean>) => {
    const before = resident();
    let [most, slowest, isDone] = [before, 0, false];
    const waits: number[] = [];
    const others = (async () => {
      while (!isDone) {
        most = Math.max(most, resident());
        const asked = performance.now();
        await ask('/api/v4/version');
        waits.push(performance.now() - asked);
        slowest = Math.max(slowest, waits.at(-1) ?? 0);
        await sleep(PAUSE_MS);
      }
    })();
    const begun = performance.now();
    await begin();
    while (!(await isOver())) await sleep(500);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    isDone = true;
    await others;
    const usual = waits.sort((one, other) => one - other)[Math.floor(waits.length * 0.99)] ?? 0;
    print(
      `${what} of ${ISSUES} issues with ${COMMENTS} comments: ${seconds} s; +${Math.round(most - before)} MB over ${Math.round(before)} MB; ` +
        `others wait ${Math.round(usual)} ms (99 of 100), ${Math.round(slowest)} ms at most`,
    );
  };
  try {
    // What the first requests compile is not what an import costs.
    for (let asked = 0; asked < 50; asked++) await ask('/api/v4/projects');
    const wanted = { personal_access_token: 'ghp_0123456789abcdefghij', repo_id: 1, target_namespace: 'root' };
    let project = 0;
    const begin = async () => {
      ({ id: project } = await ask('/api/v4/import/github', { ...wanted, github_hostname: `http://${host}` }));
    };
    await measure('An import', begin, async () => {
      const { import_status: status, import_error: error } = await ask(`/api/v4/projects/${project}/import`);
      if (status === 'failed') throw new Error(error);
      return status === 'finished';
    });
    const query = `mutation { updateImportedProject(input: { project: "root/large", token: "${wanted.personal_access_token}" }) { project { id } } }`;
    await measure(
      'An update',
      () => ask('/graphql', { query }),
      async () => {
        const told: { data: { project: { import: { remote: { update: { status: string; error: string } } } } } } =
          await ask('/graphql', {
            query: '{ project(ref: "root/large") { import { remote { update { status error } } } } }',
          });
        const { status, error } = told.data.project.import.remote.update;
        if (status === 'FAILED') throw new Error(error);
        return status === 'FINISHED';
      },
    );
  } finally {
    source.kill();
    await server.end('SIGTERM');
    own.remove();
    elsewhere.remove();
  }
}
