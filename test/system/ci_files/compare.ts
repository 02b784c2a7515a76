/**
 * Compares the jobs that Gantry and gitlab-ci-local make of the CI files of checkouts, for a push to their branch:
 *
 *     node test/system/ci_files/compare.ts path/to/gitlab-ci-local checkout …
 *
 * Says for each checkout whether the jobs are the same, with their stages and when they run, and ends with 1 where they are
 * not. Files that gitlab-ci-local cannot read, as they include files of other servers, are named and left out. It reads
 * neither `workflow:rules` nor `only` and `except`: jobs that Gantry leaves out by these are not counted as differences.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { scratchDirectory, settings, startServer } from '../../support/server_process.ts';

interface Job {
  name: string;
  stage: string;
  when: string;
  only?: unknown;
  except?: unknown;
}

interface Lint {
  valid: boolean;
  errors: string[];
  jobs: Job[] | null;
}

const TOKEN = 'seed-private-token-root';
/** Milliseconds that gitlab-ci-local has for a checkout. */
const TIME_LIMIT = 120_000;

const run = promisify(execFile);
const [program, ...checkouts] = process.argv.slice(2);
if (program === undefined || checkouts.length === 0) {
  process.stderr.write('Usage: node test/system/ci_files/compare.ts path/to/gitlab-ci-local checkout …\n');
  process.exit(2);
}

const scratch = scratchDirectory();
const server = await startServer(settings(path.join(scratch.directory, 'data')), ['--ephemeral', '--seed']);
const counts = { same: 0, different: 0, unread: 0 };
try {
  for (const [index, checkout] of checkouts.entries()) {
    const name = path.basename(checkout);
    const theirs = await jobsThere(program, checkout).catch((error: unknown) => String(error).split('\n')[0] ?? '');
    if (typeof theirs === 'string') {
      counts.unread += 1;
      say(`unread     ${name}: ${theirs}`);
      continue;
    }
    const found = differences(await jobsHere(checkout, `compared-${index}`), theirs);
    counts[found.length === 0 ? 'same' : 'different'] += 1;
    say(
      found.length === 0 ? `same       ${name}: ${theirs.length} jobs` : `different  ${name}:\n  ${found.join('\n  ')}`,
    );
  }
} finally {
  await server.end('SIGTERM');
  scratch.remove();
}
say(`${counts.same} same, ${counts.different} different, ${counts.unread} not read by gitlab-ci-local`);
process.exitCode = counts.different === 0 ? 0 : 1;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The jobs by gitlab-ci-local, without those that never run. */
async function jobsThere(command: string, checkout: string): Promise<Job[]> {
  const options = ['--list-json', '--json-schema-validation=false', '--evaluate-rule-changes=false'];
  const listing = path.join(scratch.directory, 'jobs.json');
  // It ends before all of a long list has gone through a pipe.
  const file = await open(listing, 'w');
  try {
    const stdio = ['ignore', file.fd, 'ignore'] as const;
    const child = spawn(command, options, { cwd: checkout, stdio: [...stdio], timeout: TIME_LIMIT });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`It ended with ${code}`);
  } finally {
    await file.close();
  }
  const text = await readFile(listing, 'utf8');
  const jobs: Job[] = JSON.parse(text.slice(text.indexOf('[')));
  return jobs.filter(({ when }) => when !== 'never');
}

interface Here {
  /** Those of a pipeline for the branch. */
  chosen: Lint;
  /** Those that the file has for some pipelines or others. */
  all: Lint;
}

/** The jobs by Gantry, of a project with the files of the checkout as its only commit. */
async function jobsHere(checkout: string, name: string): Promise<Here> {
  const project = await ask<{ id: number }>('/projects', { method: 'POST', body: JSON.stringify({ name }) });
  const author = ['-c', 'user.name=Compare', '-c', 'user.email=compare@example.com'];
  const git = async (...args: string[]) => (await run('git', [...author, ...args], { cwd: checkout })).stdout.trim();
  const branch = await git('symbolic-ref', '--short', 'HEAD');
  const commit = await git('commit-tree', '-m', 'All files', 'HEAD^{tree}');
  const remote = new URL(`/root/${name}.git`, server.url);
  Object.assign(remote, { username: 'root', password: TOKEN });
  await git('push', '-q', remote.href, `${commit}:refs/heads/${branch}`);
  const lint = (more: Record<string, string>) =>
    ask<Lint>(
      `/projects/${project.id}/ci/lint?${new URLSearchParams({ include_jobs: 'true', content_ref: branch, ...more })}`,
    );
  return { chosen: await lint({ dry_run: 'true', dry_run_ref: branch }), all: await lint({}) };
}

async function ask<Answer>(target: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { 'private-token': TOKEN, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/api/v4${target}`, { ...init, headers });
  if (!response.ok) throw new Error(`${target} answered ${response.status}: ${await response.text()}`);
  return await response.json();
}

function differences({ chosen, all }: Here, theirs: readonly Job[]): string[] {
  if (!chosen.valid) return chosen.errors;
  const isLeftOut = new Set((all.jobs ?? []).filter(isOfPolicy).map(({ name }) => plain(name)));
  const [ours, others] = [byName(chosen.jobs ?? []), byName(theirs)];
  return [...new Set([...ours.keys(), ...others.keys()])].flatMap((name) => {
    const [here, there] = [ours.get(name), others.get(name)];
    if (here === there || (here === undefined && isLeftOut.has(name))) return [];
    return [`${name}: ${here ?? 'not here'} | ${there ?? 'not there'}`];
  });
}

/** Whether `only` or `except` of the file decide about the job. */
function isOfPolicy({ only, except }: Job): boolean {
  return except != null || (only != null && JSON.stringify(only) !== '{"refs":["branches","tags"]}');
}

function byName(jobs: readonly Job[]): Map<string, string> {
  return new Map(jobs.map((job) => [plain(job.name), `${job.stage}, ${job.when}`]));
}

/** The values of a matrix are written with other spaces there. */
function plain(name: string): string {
  return name.replaceAll(', ', ',').replace(/: \[(\d+\/\d+)\]$/, ' $1');
}
