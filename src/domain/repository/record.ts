import type { Context } from '#src/access/permissions/actor.ts';
import type { PipelineOptions } from '#src/domain/changes/change.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { type ChangeOptions, changeRefs, type RefChange, type RefOutcome } from '#src/domain/repository/change_refs.ts';
import { type Described, describeChange, describeChanges } from '#src/domain/repository/describe_push.ts';
import { ensureRepository } from '#src/domain/repository/ensure.ts';
import { enqueueMaintenance } from '#src/domain/repository/maintain.ts';
import { type Pusher, pushData } from '#src/domain/repository/push_data.ts';
import type { PushedProject } from '#src/domain/repository/pushed_project.ts';
import { repositorySize } from '#src/domain/repository/size.ts';
import type { Oid } from '#src/git/base/model.ts';
import { encodeName } from '#src/git/base/names.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { removeLeftLocks } from '#src/git/refs/lock.ts';
import { setDefaultBranch } from '#src/git/refs/update.ts';
import { type Db, Prisma, queryJson, type Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { currentSettings, type Settings } from '#src/platform/settings/current.ts';

const { sql } = Prisma;
const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';

/** One of several pushes that a single change of a branch combines, made on top of each other by different people. */
export interface Step {
  change: RefChange;
  pusher: Pusher;
}

export interface PushOptions extends ChangeOptions {
  /** The pushes that the only change consists of, in order; one by `actor` when absent. */
  steps?: readonly Step[] | undefined;
  /** Whether it starts no pipelines. */
  skipCi?: boolean | undefined;
  /** What the client asks of its pipelines. */
  ci?: PipelineOptions | undefined;
}

/**
 * Changes refs of a project as a push by this user, and records it: events, the first branch as the default one, counts. For the
 * API and git alike; permissions have been checked. `also` runs in the same transaction, after every change was made.
 */
export async function pushRefs(
  context: Pick<Context, 'db' | 'repositories' | 'followers'> & { jobs?: Context['jobs'] },
  actor: { id: number } | Pusher,
  project: PushedProject,
  changes: readonly RefChange[],
  also?: (tx: Transaction) => Promise<void>,
  { steps, skipCi = false, ci, ...options }: PushOptions = {},
): Promise<RefOutcome[]> {
  // Does everything that does not need the lock.
  const reader = await ensureRepository(context, project, options.isLocked ? options.tx : undefined);
  const settings = await currentSettings(context.db);
  const pusher = 'email' in actor ? actor : await findPusher(context.db, actor.id);
  const recorder: Recorder = { reader, project, settings, pusher, steps, described: new Map() };
  const prepare = async () => {
    const parts = steps?.map(({ change }) => change) ?? changes;
    recorder.described = await describeChanges(reader, project.defaultBranch, parts);
  };
  const recordMade = async (tx: Transaction, made: readonly RefChange[]) => {
    const { watched, missed } = await record(tx, recorder, made);
    await recordChange(tx, context, { type: 'branchesMoved', project, user: pusher, branches: watched });
    const push = { type: 'refsPushed', project, reader, described: recorder.described } as const;
    for (const { change, pusher } of missed) {
      await recordChange(tx, context, { ...push, pusher, changes: [change], isRecovered: true, skipCi });
    }
    for (const { change, pusher: by } of steps ?? [{ change: null, pusher }]) {
      const changes = change === null ? made : [change];
      await recordChange(tx, context, { ...push, pusher: by, changes, isRecovered: false, skipCi, ci });
    }
    await enqueueMaintenance(tx, context, project);
    if (made.length === changes.length) await also?.(tx);
  };
  return changeRefs(context, project, changes, recordMade, { ...options, prepare });
}

/** Name and address of a user for their commits and pushes: the address that the user chose for commits, else the primary one. */
export async function findPusher(db: Pick<Db, 'user'>, id: number): Promise<Pusher> {
  const select = { id: true, name: true, email: true, commitEmail: true } as const;
  const found = await db.user.findUnique({ where: { id }, select });
  if (!found) throw new NotFound('User');
  const { commitEmail, ...user } = found;
  return { ...user, email: commitEmail ?? user.email };
}

export interface Recorder {
  reader: RepositoryReader;
  project: PushedProject;
  settings: Settings;
  pusher: Pusher;
  /** As in PushOptions. */
  steps?: readonly Step[] | undefined;
  described: Map<RefChange, Described>;
}

/** What was found out while recording changes. */
export interface Recorded {
  /** The changed branches that belong to open merge requests. */
  watched: string[];
  /** Changes that a crash had left unrecorded, attributed to the creator as their author is unknown. */
  missed: Step[];
}

/** Records changes that were made, in the transaction that holds the lock, after those that a crash left unrecorded. */
export async function record(tx: Transaction, recorder: Recorder, changes: readonly RefChange[]): Promise<Recorded> {
  const { project, reader } = recorder;
  const known = await recordedRefs(tx, project.id, changes);
  const all: Step[] = [];
  const missed: Step[] = [];
  for (const change of changes) {
    const recorded = known.refs.get(change.name) ?? null;
    if (recorded !== change.from) {
      const left = { name: change.name, from: recorded, to: change.from };
      const step = { change: left, pusher: await findPusher(tx, project.creatorId) };
      missed.push(step);
      all.push(step);
    }
    all.push(...(recorder.steps ?? [{ change, pusher: recorder.pusher }]));
  }
  const defaultBranch = await firstBranch(tx, recorder, changes, known.empty);
  const events = [];
  for (const { change, pusher } of all) {
    if (!change.name.startsWith(BRANCHES) && !change.name.startsWith(TAGS)) continue;
    const found = recorder.described.get(change) ?? (await describeChange(reader, project.defaultBranch, change));
    const action = change.to === null ? 'deleted' : change.from === null ? 'pushed new' : 'pushed to';
    const data = pushData({ ...project, defaultBranch }, pusher, change, found);
    events.push({ author_id: pusher.id, action, data });
  }
  const parts = recorder.steps?.map(({ change }) => change) ?? changes;
  const commits = await countCommits(recorder, defaultBranch, all.length === parts.length, parts);
  const size = await repositorySize(reader.directory);
  await write(tx, project.id, { events, changes, commits, size });
  return { watched: known.watched, missed };
}

interface Written {
  events: object[];
  changes: readonly RefChange[];
  /** The new commit count of the default branch, or its increment. */
  commits: { count: number } | { more: number };
  /** In bytes; null if it was not measured. */
  size: number | null;
}

/** One statement for everything. */
async function write(tx: Transaction, projectId: number, { events, changes, commits, size }: Written): Promise<void> {
  const refs = changes.map(({ name, to }) => ({ name: refKey(name), oid: to }));
  const gone = changes.flatMap(({ name, to }) =>
    to === null && name.startsWith(TAGS) ? [name.slice(TAGS.length)] : [],
  );
  const tags = gone.filter((tag) => tag.isWellFormed());
  const count = 'count' in commits ? sql`${commits.count}::int` : sql`commits + ${commits.more}::int`;
  await tx.$executeRaw`
    WITH refs AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(refs)}::jsonb) AS r (name text, oid text)),
    gone AS (DELETE FROM recorded_refs WHERE project_id = ${projectId} AND name IN (SELECT name FROM refs WHERE oid IS NULL)),
    kept AS (INSERT INTO recorded_refs (project_id, name, oid) SELECT ${projectId}, name, oid FROM refs WHERE oid IS NOT NULL
      ON CONFLICT (project_id, name) DO UPDATE SET oid = EXCLUDED.oid),
    notes AS (DELETE FROM releases WHERE project_id = ${projectId} AND tag = ANY(${tags}::text[])),
    counted AS (UPDATE project_counters SET commits = ${count}, repository_size = COALESCE(${size}::bigint, repository_size)
      WHERE project_id = ${projectId})
    INSERT INTO events (project_id, author_id, action, data) SELECT ${projectId}, e.author_id, e.action, e.data
      FROM jsonb_to_recordset(${JSON.stringify(events)}::jsonb) AS e (author_id int, action text, data jsonb)`;
}

/** The recorded state of these refs, whether no branch is recorded, and which branches belong to open merge requests. */
async function recordedRefs(tx: Transaction, projectId: number, changes: readonly RefChange[]) {
  const names = new Map(changes.map(({ name }) => [refKey(name), name]));
  const branches = [...names.values()].flatMap((name) =>
    name.startsWith(BRANCHES) && name.isWellFormed() ? [name.slice(BRANCHES.length)] : [],
  );
  const { refs, ...known } = await queryJson<{ refs: { name: string; oid: Oid }[]; empty: boolean; watched: string[] }>(
    tx,
    sql`json_build_object('refs', (SELECT COALESCE(json_agg(json_build_object('name', name, 'oid', oid)), '[]')
        FROM recorded_refs WHERE project_id = ${projectId} AND name = ANY(${[...names.keys()]}::text[])),
      'empty', NOT EXISTS (SELECT 1 FROM recorded_refs WHERE project_id = ${projectId} AND starts_with(name, ${BRANCHES})),
      'watched', (SELECT COALESCE(json_agg(b.name), '[]') FROM unnest(${branches}::text[]) AS b (name) WHERE EXISTS (
          SELECT 1 FROM merge_requests WHERE state = 'opened' AND source_project_id = ${projectId} AND source_branch = b.name)
        OR EXISTS (
          SELECT 1 FROM merge_requests WHERE state = 'opened' AND target_project_id = ${projectId} AND target_branch = b.name)))`,
  );
  return { ...known, refs: new Map(refs.map(({ name, oid }) => [names.get(name) ?? name, oid])) };
}

/**
 * Makes a repository's first branch the default one, protected as configured (behaviour.md 6). Returns the new default branch.
 */
async function firstBranch(
  tx: Transaction,
  { reader, project, settings }: Recorder,
  changes: readonly RefChange[],
  empty: boolean,
): Promise<string | null> {
  const created = changes.flatMap(({ name, to }) =>
    to !== null && name.startsWith(BRANCHES) && name.isWellFormed() ? [name.slice(BRANCHES.length)] : [],
  );
  const [first] = created;
  if (!empty || first === undefined) return project.defaultBranch;
  const head = await reader.defaultBranch();
  const branch = [project.defaultBranch, head].find((name) => name !== null && created.includes(name)) ?? first;
  if (branch !== head) {
    await removeLeftLocks(reader.directory);
    await setDefaultBranch(reader.directory, branch);
  }
  if (branch !== project.defaultBranch) {
    await tx.project.update({ where: { id: project.id }, data: { defaultBranch: branch } });
  }
  const { defaultBranchProtection: level } = settings;
  if (level !== 0) {
    await tx.$executeRaw`INSERT INTO protected_branches (project_id, name, developers_can_push)
      VALUES (${project.id}, ${branch}, ${level === 1}) ON CONFLICT DO NOTHING`;
  }
  return branch;
}

/** The effect of the changes on the default branch's commit count; recounted only if necessary. */
async function countCommits(
  { reader, described }: Recorder,
  defaultBranch: string | null,
  complete: boolean,
  changes: readonly RefChange[],
): Promise<Written['commits']> {
  const own = changes.filter(({ name }) => name === `${BRANCHES}${defaultBranch}`);
  const last = own.at(-1);
  if (!last) return { more: 0 };
  if (last.to === null) return { count: 0 };
  const found = own.map((change) => (change.from === null ? undefined : described.get(change)));
  if (complete && found.every((one) => one?.forward === true)) {
    return { more: found.reduce((sum, one) => sum + (one?.total ?? 0), 0) };
  }
  return { count: await reader.count({ start: last.to }) };
}

/** The name of a ref in the database: invalid UTF-8 becomes hexadecimal digits. */
export function refKey(name: string): string {
  return name.isWellFormed() ? name : `bytes:${encodeName(name).toString('hex')}`;
}
