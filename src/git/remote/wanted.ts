import { ProgramFailed } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import { readProgram, runProgram } from '../program/run.ts';
import { KEPT_REFS } from '../refs/name.ts';
import { RefReader } from '../refs/read.ts';
import { FetchRefused } from './want_gate.ts';

/** Milliseconds that looking for objects among all that refs lead to may take: a clone does the same work. */
const TIME = 4 * 60_000;

/** Milliseconds that a walk over commits may take. */
const COMMITS_TIME = 60_000;

/**
 * Throws FetchRefused unless all of these objects are what refs lead to that the client is shown, or what these refs hold.
 *
 * @param hidden beginnings of refs, in full and without a slash at their end, that the client is not shown
 */
export async function requireWanted(
  directory: string,
  wants: readonly Oid[],
  hidden: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const tips = await shownTips(directory, hidden);
  const others = wants.filter((oid) => !tips.has(oid));
  if (others.length === 0) return;
  const kinds = await kindsOf(directory, others);
  const absent = others.find((oid) => !kinds.has(oid));
  if (absent !== undefined) throw notOurs(absent);
  const commits = others.filter((oid) => kinds.get(oid) === 'commit');
  signal.throwIfAborted();
  await requireCommits(directory, commits, tips, signal);
  const rest = new Set(others.filter((oid) => kinds.get(oid) !== 'commit'));
  signal.throwIfAborted();
  if (rest.size > 0) await requireListed(directory, rest, tips, OBJECTS, signal);
}

/** Values of the refs that a client is shown. */
async function shownTips(directory: string, hidden: readonly string[]): Promise<Set<Oid>> {
  const refs = new RefReader(directory);
  const isHidden = (name: string) => [KEPT_REFS, ...hidden].some((prefix) => `${name}/`.startsWith(`${prefix}/`));
  const tips = new Set<Oid>();
  for (const { name, target } of await refs.list('refs/')) if (!isHidden(name)) tips.add(target);
  return tips;
}

/** What kinds of objects these are; those that are not there are left out. */
async function kindsOf(directory: string, oids: readonly Oid[]): Promise<Map<Oid, string>> {
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
  const { output } = await runProgram(directory, args, { input: linesOf(oids), timeout: COMMITS_TIME });
  const kinds = new Map<Oid, string>();
  for (const line of output.toString('latin1').split('\n')) {
    const [oid = '', kind = ''] = line.split(' ');
    if (kind !== '' && kind !== 'missing') kinds.set(oid, kind);
  }
  return kinds;
}

async function requireCommits(
  directory: string,
  commits: readonly Oid[],
  tips: ReadonlySet<Oid>,
  signal: AbortSignal,
): Promise<void> {
  if (commits.length === 0) return;
  const args = ['rev-list', '--max-count=1', '--ignore-missing', '--stdin'];
  const input = linesOf([...commits, ...[...tips].map((oid) => `^${oid}`)]);
  const { output } = await runProgram(directory, args, { input, timeout: COMMITS_TIME });
  if (output.length === 0) return;
  // Where clocks were wrong git takes away too little, but never too much.
  await requireListed(directory, new Set(commits), tips, [], signal);
}

/** Lists directories, files and annotations, too, right after the commits that have them. */
const OBJECTS = ['--objects', '--no-object-names', '--in-commit-order'];

/** Looks for objects among all that the tips lead to, the newest first, until all are found. */
async function requireListed(
  directory: string,
  wanted: Set<Oid>,
  tips: ReadonlySet<Oid>,
  kinds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const found = new AbortController();
  let rest = '';
  const take = (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) wanted.delete(line);
    if (wanted.size === 0) found.abort();
  };
  const args = ['rev-list', ...kinds, '--ignore-missing', '--stdin'];
  const options = {
    input: linesOf([...tips]),
    timeout: TIME,
    limit: Number.POSITIVE_INFINITY,
    signal: AbortSignal.any([signal, found.signal]),
  };
  await readProgram(directory, args, take, options).catch((error) => {
    if (!(error instanceof ProgramFailed) || wanted.size > 0) throw error;
  });
  const [left] = wanted;
  if (left !== undefined) throw notOurs(left);
}

/** As git says it. */
function notOurs(oid: Oid): FetchRefused {
  return new FetchRefused(`upload-pack: not our ref ${oid}`);
}

function linesOf(revisions: readonly string[]): Buffer {
  return Buffer.from(revisions.map((revision) => `${revision}\n`).join(''));
}
