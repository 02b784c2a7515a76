import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { family } from './own_postgres.ts';
import { RECORD, type Recorded } from './record_files.ts';

/** One call of Vitest. */
export interface TestRun {
  /** Its configuration, a path from the working directory. */
  config: string;
  args?: string[];
  /** Parts of the names of the files that it is about, or all that its configuration has. */
  files?: string[];
  /** Which part of all files it runs, as `1/2`, where it names none; all of them when absent. */
  share?: string | undefined;
}

export interface Verdict {
  passed: boolean;
  /** What to print: a line for each file that failed or is flaky with its first error, then the counts. */
  lines: string[];
}

export interface RunOptions {
  /** Where Vitest runs; files are named from there. */
  cwd?: string;
  /** Where the lines of `record_files.ts` go, if they are to be kept. */
  record?: string;
  output?: 'inherit' | 'ignore';
  stuckSeconds?: number;
}

/** So many files may fail and then pass alone: with more than that, no run proves anything. */
const MAX_FLAKY_FILES = 3;

/** A run in which no file begins or ends for so long hangs: the slowest takes a third of it. */
const STUCK_SECONDS = 15 * 60;

/** What is known of a run, or of some of them. */
interface Results {
  listed: Set<string>;
  begun: Set<string>;
  ended: Set<string>;
  /** The first error of each file that failed. */
  failed: Map<string, string>;
  broken: string[];
}

/**
 * Runs tests one run after the other, and each file that failed once more, alone, at the end. A file fails by its tests, and also by
 * ending its worker or by not ending at all. The runs pass when every file passes at least the second time, and at most three needed that.
 */
export async function runTests(runs: readonly TestRun[], options: RunOptions = {}): Promise<Verdict> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'gantry-test-runs-'));
  const { cwd = process.cwd(), record = path.join(scratch, 'files') } = options;
  const call = (run: TestRun, files: string[]) => callVitest(run, files, { ...options, cwd, record });
  try {
    const files: string[] = [];
    const broken: string[] = [];
    const failed: { file: string; error: string; run: TestRun }[] = [];
    for (const run of runs) {
      const results = await runWhole(run, call);
      files.push(...results.listed);
      broken.push(...results.broken);
      failed.push(...[...results.failed].map(([file, error]) => ({ file, error, run })));
    }
    const flaky = new Set<string>();
    // With more than that the runs have failed, whatever comes of them alone.
    if (broken.length === 0 && failed.length <= MAX_FLAKY_FILES) {
      for (const { file, run } of failed) {
        const again = await call(run, [path.resolve(cwd, file)]);
        if (again.ended.has(file) && again.failed.size === 0 && again.broken.length === 0) flaky.add(file);
      }
    }
    const lost = failed.filter(({ file }) => !flaky.has(file)).length;
    return {
      passed: files.length > 0 && broken.length === 0 && lost === 0,
      lines: [
        ...broken.map((error) => `broken: ${error}`),
        ...failed.map(({ file, error }) => `${flaky.has(file) ? 'flaky' : 'failed'}: ${file}: ${error}`),
        `Test files: ${files.length - lost} passed (${flaky.size} flaky), ${lost} failed`,
      ],
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Runs all files of a run: where it ended before its time, those that had not begun run in another. */
async function runWhole(
  run: TestRun,
  call: (run: TestRun, files: string[]) => Promise<Results>,
  files = run.files ?? [],
): Promise<Results> {
  const results = await call(run, files);
  const left = [...results.listed].filter((file) => !results.begun.has(file));
  if (left.length === 0 || results.begun.size === 0) return results;
  const others = await runWhole(run, call, left);
  return {
    ...results,
    failed: new Map([...results.failed, ...others.failed]),
    broken: [...results.broken, ...others.broken],
  };
}

async function callVitest(
  run: TestRun,
  files: string[],
  { cwd, record, output = 'inherit', stuckSeconds = STUCK_SECONDS }: RunOptions & { cwd: string; record: string },
): Promise<Results> {
  const earlier = linesOf(record).length;
  const reporters = ['--reporter=default', `--reporter=${path.join(import.meta.dirname, 'record_files.ts')}`];
  const vitest = path.join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  const share = run.share && files.length === 0 ? [`--shard=${run.share}`] : [];
  const args = [vitest, 'run', '--config', run.config, ...(run.args ?? []), ...share, ...reporters, ...files];
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, [RECORD]: record }, stdio: output });
  const watch = endWhenStuck(child.pid, () => linesOf(record).length, stuckSeconds);
  const [status, signal] = await once(child, 'exit');
  clearInterval(watch);
  const results = read(linesOf(record).slice(earlier));
  for (const file of results.begun) {
    if (!results.ended.has(file) && !results.failed.has(file)) results.failed.set(file, 'did not end');
  }
  if (status !== 0 && results.failed.size === 0 && results.broken.length === 0) {
    results.broken.push(`Vitest ended with ${status ?? signal}`);
  }
  return results;
}

/** Kills Vitest and its workers when what `progress` counts has not grown for so many seconds. */
function endWhenStuck(pid: number | undefined, progress: () => number, stuckSeconds: number): NodeJS.Timeout {
  let last = { count: progress(), at: performance.now() };
  return setInterval(() => {
    const now = { count: progress(), at: performance.now() };
    if (now.count !== last.count) last = now;
    if (pid === undefined || now.at - last.at < stuckSeconds * 1000) return;
    for (const one of process.platform === 'linux' ? family(pid) : [pid]) kill(one);
  }, stuckSeconds * 100);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function linesOf(record: string): string[] {
  return existsSync(record) ? readFileSync(record, 'utf8').split('\n').slice(0, -1) : [];
}

function read(lines: string[]): Results {
  const results: Results = {
    listed: new Set(),
    begun: new Set(),
    ended: new Set(),
    failed: new Map(),
    broken: [],
  };
  for (const line of lines) {
    const recorded: Recorded = JSON.parse(line);
    if ('listed' in recorded) results.listed = new Set(recorded.listed);
    else if ('begun' in recorded) results.begun.add(recorded.begun);
    else if ('ended' in recorded) results.ended.add(recorded.ended);
    else if ('broken' in recorded) results.broken.push(recorded.broken);
    else if (!results.failed.has(recorded.failed)) results.failed.set(recorded.failed, recorded.error);
  }
  return results;
}
