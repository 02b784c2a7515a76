import { snakeCase } from '#src/base/text.ts';
import { CHANGED_KINDS, type ChangedRow, updateRecords } from '#src/domain/project_archives/again_updates.ts';
import type { Row } from '#src/domain/project_archives/columns.ts';
import type { Kind } from '#src/domain/project_archives/kinds.ts';
import type { Line } from '#src/domain/project_archives/lines.ts';
import {
  fieldsOf,
  type RememberedRecord,
  type SourceRecords,
  sourceKeyOf,
  valueHash,
} from '#src/domain/project_archives/source_records.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** Something that an update did not do, and why. */
export interface NotUpdated {
  kind: string;
  /** Number, name or path that it has here or at the source; null for all of a kind. */
  name: string | null;
  message: string;
}

/** What an import of records lets an update see and do of it. */
export interface AgainOptions {
  tx: Transaction;
  projectId: number;
  source: SourceRecords;
  /** The ID here of a record that came before; null for one that was left out, undefined for an unknown one. */
  idOf(kind: string, old: number): number | null | undefined;
  setId(kind: string, old: number, id: number | null): void;
  /** Whether all records of a kind that the source has are among the lines: what is missing is gone then. */
  isWhole(kind: string): boolean;
  /** The columns of lines; null for those that are left out. */
  rowsOf(kind: Kind, lines: readonly Line[]): Promise<(Row | null)[]>;
}

/** Kinds that connect two records: what is taken off at the source is taken off here. */
export const LINKS: ReadonlySet<string> = new Set([
  'issue_labels',
  'issue_assignees',
  'merge_request_labels',
  'merge_request_assignees',
  'merge_request_reviewers',
  'merge_request_approvals',
]);
/** Kinds that updates bring; of others nothing comes but by an import. */
const UPDATED: ReadonlySet<string> = new Set([
  ...LINKS,
  ...CHANGED_KINDS,
  ...['merge_request_versions', 'merge_request_commits', 'uploads', 'members', 'protected_branches'],
  ...['protected_branch_levels', 'state_events', 'label_events', 'milestone_events', 'award_emoji', 'timelogs'],
  ...['release_links', 'release_milestones', 'issue_links', 'snippets', 'snippet_files', 'boards', 'board_lists'],
  ...['badges', 'protected_tags', 'protected_tag_levels', 'commit_comments'],
]);
/** Kinds with numbers, or names, that what was made here may have taken. */
const UNIQUE: Readonly<Record<string, string>> = {
  issues: 'iid',
  merge_requests: 'iid',
  releases: 'tag',
  protected_branches: 'name',
  protected_tags: 'name',
};
/** Kinds that are looked up, as others refer to their records, or they change. */
const LOOKED_UP: ReadonlySet<string> = new Set([
  ...CHANGED_KINDS,
  'merge_request_versions',
  'merge_request_approvals',
  ...['protected_branches', 'protected_tags', 'snippets', 'boards', 'badges'],
]);
/** Columns of a merge request that tell how it ended. */
const ENDED = ['state', 'merge_commit_sha', 'squash_commit_sha', 'merge_user_id', 'merged_at', 'closed_by_id'];
const ENDED_AT = ['closed_at', 'finished_at'];
/** What is said of at most so many things. */
const MAX_NOT_UPDATED = 1_000;

/** A record that is here. */
interface Here {
  id: number;
  /** Whether it is one of the project, and not of a group. */
  isOwn: boolean;
  row: Row;
}

interface Changed {
  line: Line;
  before: RememberedRecord;
  here: Here;
  columns: string[];
  now: Readonly<Record<string, string>>;
}

/**
 * Tells apart what is new, the same, and changed among the records of a source from which some were imported before: what was changed
 * there is changed here, what was deleted here is not made again, and what is gone there stays.
 */
export class Again {
  /** What was not done, and why: at most a thousand things. */
  readonly notUpdated: NotUpdated[] = [];
  readonly #imported: AgainOptions;
  /** The keys of the lines of the kind that is being imported. */
  #seen = new Set<string>();
  /** The merge requests whose branches went on here: their heads stay. */
  readonly #held = new Set<number>();
  /** The titles of labels and milestones here. */
  readonly #titles = new Map<string, number>();
  /** The merge requests that came before, and those of them that got a version. */
  readonly #known = new Set<number>();
  readonly #withNewVersion = new Set<number>();

  constructor(imported: AgainOptions) {
    this.#imported = imported;
  }

  /** The merge requests that came before and got a version. */
  get withNewVersion(): ReadonlySet<number> {
    return this.#withNewVersion;
  }

  /** Reads what labels and milestones there are here. */
  async begin({ name }: Kind): Promise<void> {
    this.#seen = new Set();
    this.#titles.clear();
    if (name !== 'labels' && name !== 'milestones') return;
    const { tx, projectId } = this.#imported;
    const rows =
      name === 'labels'
        ? await tx.label.findMany({ where: { projectId }, select: { id: true, title: true } })
        : await tx.milestone.findMany({ where: { projectId }, select: { id: true, title: true } });
    for (const { id, title } of rows) this.#titles.set(title, id);
  }

  /** The ID of the label or milestone here that has a title. */
  titled(title: string): number | undefined {
    return this.#titles.get(title);
  }

  /** Brings the records of lines up to date that are known; returns the lines of those that are new. */
  async settle(kind: Kind, lines: readonly Line[]): Promise<Line[]> {
    const { source, setId } = this.#imported;
    const known = await source.find(
      kind.name,
      lines.map(sourceKeyOf).filter((key) => key !== null),
    );
    const here = await this.#here(kind, [...known.values()]);
    const fresh: Line[] = [];
    const changed: Changed[] = [];
    for (const line of lines) {
      const key = sourceKeyOf(line);
      if (key !== null) this.#seen.add(key);
      const before = key === null ? undefined : known.get(key);
      if (before === undefined) {
        fresh.push(line);
        continue;
      }
      const old = line.record.id as number;
      const found = before.recordId === null ? undefined : here.get(before.recordId);
      const isGone = LOOKED_UP.has(kind.name) && before.recordId !== null && found === undefined;
      if (Number.isSafeInteger(old)) setId(kind.name, old, isGone ? null : before.recordId);
      if (kind.name === 'merge_requests' && found) this.#known.add(found.id);
      // A thread outlives the note that began it.
      if (isGone && kind.name === 'notes') setId('gone notes', old, before.recordId);
      const now = fieldsOf(kind.name, line.record);
      const columns = Object.keys(now).filter(
        (column) => before.fields[column] !== undefined && before.fields[column] !== now[column],
      );
      if (found && columns.length > 0) changed.push({ line, before, here: found, columns, now });
    }
    if (!UPDATED.has(kind.name)) {
      for (const { record } of fresh) if (Number.isSafeInteger(record.id)) setId(kind.name, record.id as number, null);
      if (fresh.length > 0) this.leaveOut(kind.name, null, 'They come by an import, and not by an update.');
      return [];
    }
    await this.#change(kind, changed);
    return this.#withRoom(kind, fresh);
  }

  /** Takes off what was taken off at the source, and names what is gone there. */
  async end(kind: Kind): Promise<void> {
    const isLink = LINKS.has(kind.name);
    if (!isLink && !(kind.name in GONE)) return;
    const { source } = this.#imported;
    for await (const some of source.each(kind.name)) {
      const gone = some.filter(({ key }) => !this.#seen.has(key));
      if (gone.length === 0) continue;
      if (isLink) await this.#takeOff(kind, gone);
      else if (this.#imported.isWhole(kind.name)) await this.#nameGone(kind, gone);
    }
  }

  /** Notes that a record was made. */
  made(kind: Kind, row: Row): void {
    const of = row.mergeRequestId as number;
    if (kind.name === 'merge_request_versions' && this.#known.has(of)) this.#withNewVersion.add(of);
  }

  leaveOut(kind: string, name: string | null, message: string): void {
    if (this.notUpdated.length < MAX_NOT_UPDATED) this.notUpdated.push({ kind, name, message });
  }

  /** The records of a kind that are still here, by their IDs. */
  async #here(kind: Kind, known: readonly RememberedRecord[]): Promise<Map<number, Here>> {
    const ids = known.flatMap(({ recordId }) => recordId ?? []);
    if (ids.length === 0 || !LOOKED_UP.has(kind.name)) return new Map();
    const { projectId } = this.#imported;
    const own = kind.project === null ? {} : { [kind.project]: true };
    const more = { issues: { deletedAt: true }, merge_requests: { state: true, sha: true, iid: true } }[kind.name];
    const rows = await this.#rows(kind, { id: { in: ids } }, { id: true, ...own, ...more });
    const alive = rows.filter(({ deletedAt }) => deletedAt == null);
    const isOwn = (row: Row) => kind.project === null || row[kind.project] === projectId;
    return new Map(alive.map((row) => [row.id as number, { id: row.id as number, isOwn: isOwn(row), row }]));
  }

  #rows({ model }: Kind, where: object, select: object): Promise<Row[]> {
    const name = model.charAt(0).toLowerCase() + model.slice(1);
    const tables = this.#imported.tx as unknown as Record<string, { findMany(given: object): Promise<Row[]> }>;
    return tables[name]?.findMany({ where, select }) ?? Promise.resolve([]);
  }

  async #change(kind: Kind, changed: readonly Changed[]): Promise<void> {
    const { tx, projectId, source, rowsOf } = this.#imported;
    const wanted = changed
      .map((one) => ({ ...one, columns: this.#allowed(kind, one) }))
      .filter(({ columns }) => columns.length > 0);
    if (wanted.length === 0) return;
    const rows = await rowsOf(
      kind,
      wanted.map(({ line }) => line),
    );
    const updates: ChangedRow[] = [];
    const taken: RememberedRecord[] = [];
    for (const [at, { line, before, here, columns, now }] of wanted.entries()) {
      const row = rows[at];
      if (!row) continue;
      const values = Object.entries(row).map(([column, value]) => [snakeCase(column), value] as const);
      const isChanged = ([column]: readonly [string, unknown]) => columns.includes(column);
      updates.push({
        ...Object.fromEntries(values.filter(isChanged)),
        ...(typeof line.record.updated_at === 'string' && { updated_at: line.record.updated_at }),
        id: here.id,
      });
      const hashes = Object.fromEntries(columns.map((column) => [column, now[column] ?? '']));
      taken.push({ ...before, fields: { ...before.fields, ...hashes } });
    }
    await updateRecords(tx, projectId, kind.name, updates);
    await source.remember(kind.name, taken);
  }

  /** The columns of a record that may follow the source. */
  #allowed(kind: Kind, { line, here, before, columns }: Changed): string[] {
    const { record } = line;
    if (!here.isOwn) return [];
    if (kind.name === 'protected_branches') {
      this.leaveOut(kind.name, String(record.name), 'Its rules were changed at the source, and stay here as they are.');
      return [];
    }
    if (!CHANGED_KINDS.has(kind.name)) {
      const name = record.title ?? record.name;
      const message = 'It was changed at the source, and stays here as it is.';
      if (LOOKED_UP.has(kind.name)) this.leaveOut(kind.name, typeof name === 'string' ? name : null, message);
      return [];
    }
    if (kind.name === 'merge_requests') return this.#allowedOfMergeRequest(line, here, before, columns);
    if ((kind.name !== 'labels' && kind.name !== 'milestones') || !columns.includes('title')) return columns;
    const title = String(record.title);
    const owner = this.#titles.get(title);
    if (owner === undefined || owner === here.id) {
      this.#titles.set(title, here.id);
      return columns;
    }
    this.leaveOut(kind.name, title, 'It got this name at the source, which another one has here.');
    return columns.filter((column) => column !== 'title');
  }

  #allowedOfMergeRequest({ record }: Line, { id, row }: Here, before: RememberedRecord, columns: string[]): string[] {
    let allowed = columns;
    const name = `!${row.iid}`;
    const isMoved = valueHash(row.sha) !== before.fields.sha && row.sha !== record.sha;
    if (columns.includes('sha') && isMoved) {
      this.#held.add(id);
      allowed = allowed.filter((column) => column !== 'sha');
      this.leaveOut('merge_requests', name, 'Its branch was changed here and at the source: the commits here stay.');
    }
    if (row.state === 'merged' && record.state !== 'merged') {
      allowed = allowed.filter((column) => ![...ENDED, ...ENDED_AT].includes(column));
      if (columns.includes('state')) this.leaveOut('merge_requests', name, 'It was merged here, and stays so.');
    } else if (columns.includes('state')) {
      const told = [...ENDED, ...ENDED_AT].filter((column) => record[column] !== undefined);
      allowed = [...new Set([...allowed, ...told])];
    }
    return allowed;
  }

  /** The lines of new records for which there is room; others are named. */
  async #withRoom(kind: Kind, lines: readonly Line[]): Promise<Line[]> {
    const { idOf, projectId, setId } = this.#imported;
    if (kind.name === 'merge_request_versions' || kind.name === 'merge_request_commits')
      return this.#ofMoved(kind, lines);
    const column = UNIQUE[kind.name];
    if (column === undefined || lines.length === 0) return [...lines];
    const values = lines.map(({ record }) => record[column]);
    const where = { [kind.project ?? '']: projectId, [column]: { in: values } };
    const taken = new Set((await this.#rows(kind, where, { [column]: true })).map((row) => row[column]));
    return lines.filter(({ record }) => {
      if (!taken.has(record[column])) return true;
      const old = record.id as number;
      if (idOf(kind.name, old) === undefined) setId(kind.name, old, null);
      const sign = { issues: '#', merge_requests: '!' }[kind.name] ?? '';
      this.leaveOut(kind.name, `${sign}${record[column]}`, TAKEN[kind.name] ?? '');
      return false;
    });
  }

  /** New versions of merge requests, and commits, unless the branches of those went on here, or the version is known by itself. */
  async #ofMoved(kind: Kind, lines: readonly Line[]): Promise<Line[]> {
    const { idOf, source, setId } = this.#imported;
    const own = lines.flatMap((line) => {
      const id = idOf('merge_requests', line.record.merge_request_id as number);
      if (id != null && !this.#held.has(id)) return [{ line, id }];
      if (kind.name === 'merge_request_versions') setId(kind.name, line.record.id as number, null);
      return [];
    });
    if (kind.name === 'merge_request_commits' || own.length === 0) return own.map(({ line }) => line);
    const heads = own.map(({ line }) => line.record.head_commit_sha);
    const where = { mergeRequestId: { in: own.map(({ id }) => id) }, headCommitSha: { in: heads } };
    const rows = await this.#rows(kind, where, { id: true, mergeRequestId: true, headCommitSha: true });
    const known = new Map(rows.map((row) => [`${row.mergeRequestId} ${row.headCommitSha}`, row.id as number]));
    const found: RememberedRecord[] = [];
    const fresh = own.filter(({ line, id }) => {
      const there = known.get(`${id} ${line.record.head_commit_sha}`);
      const key = sourceKeyOf(line);
      if (there === undefined || key === null) return true;
      setId(kind.name, line.record.id as number, there);
      found.push({ key, recordId: there, otherId: null, fields: {} });
      return false;
    });
    await source.remember(kind.name, found);
    return fresh.map(({ line }) => line);
  }

  /** Takes off labels, assignees, reviewers and approvals of what is still at the source. */
  async #takeOff(kind: Kind, gone: readonly RememberedRecord[]): Promise<void> {
    const { tx, source, idOf } = this.#imported;
    const of = kind.name.startsWith('issue') ? 'issues' : 'merge_requests';
    const off = gone.filter(({ key }) => idOf(of, Number(key.split(' ')[0])) !== undefined);
    if (off.length === 0) return;
    const name = kind.model.charAt(0).toLowerCase() + kind.model.slice(1);
    const tables = tx as unknown as Record<string, { deleteMany(given: object): Promise<unknown> }>;
    const pairs = off.filter(({ otherId }) => otherId !== null);
    const ids = off.flatMap(({ otherId, recordId }) => (otherId === null && recordId !== null ? [recordId] : []));
    const [subject, other] = [of === 'issues' ? 'issueId' : 'mergeRequestId', Object.keys(kind.users)[0] ?? 'labelId'];
    const OR = pairs.map(({ recordId, otherId }) => ({ [subject]: recordId, [other]: otherId }));
    if (pairs.length > 0) await tables[name]?.deleteMany({ where: { OR } });
    if (ids.length > 0) await tables[name]?.deleteMany({ where: { id: { in: ids } } });
    await source.forget(
      kind.name,
      off.map(({ key }) => key),
    );
  }

  async #nameGone(kind: Kind, gone: readonly RememberedRecord[]): Promise<void> {
    const here = await this.#here(kind, gone);
    const some = gone.filter(({ recordId }) => recordId !== null && here.has(recordId));
    const ids = some.flatMap(({ recordId }) => recordId ?? []);
    for (const name of (await GONE[kind.name]?.(this.#imported.tx, ids)) ?? []) {
      this.leaveOut(kind.name, name, 'It is gone at the source, and stays here.');
    }
  }
}

const TAKEN: Readonly<Record<string, string>> = {
  issues: 'An issue that was made here has this number. The one of the source does not come along.',
  merge_requests: 'A merge request that was made here has this number. The one of the source does not come along.',
  releases: 'A release that was made here has this tag. The one of the source does not come along.',
  protected_branches: 'It is protected here already, and its rules stay as they are.',
  protected_tags: 'It is protected here already, and its rules stay as they are.',
};

/** What names the records of a kind that are gone at the source, by their IDs. */
const GONE: Readonly<Record<string, (tx: Transaction, ids: readonly number[]) => Promise<string[]>>> = {
  labels: async (tx, ids) =>
    (await tx.label.findMany({ where: { id: { in: [...ids] } }, orderBy: { id: 'asc' } })).map(({ title }) => title),
  milestones: async (tx, ids) =>
    (await tx.milestone.findMany({ where: { id: { in: [...ids] } }, orderBy: { id: 'asc' } })).map(
      ({ title }) => title,
    ),
  issues: async (tx, ids) =>
    (await tx.issue.findMany({ where: { id: { in: [...ids] } }, orderBy: { id: 'asc' } })).map(({ iid }) => `#${iid}`),
  merge_requests: async (tx, ids) =>
    (await tx.mergeRequest.findMany({ where: { id: { in: [...ids] } }, orderBy: { id: 'asc' } })).map(
      ({ iid }) => `!${iid}`,
    ),
  releases: async (tx, ids) =>
    (await tx.release.findMany({ where: { id: { in: [...ids] } }, orderBy: { id: 'asc' } })).map(({ tag }) => tag),
  notes: async (tx, ids) => {
    const rows = await tx.$queryRaw<{ name: string }[]>`
      SELECT CASE WHEN n.subject_type = 'Issue' THEN '#' || i.iid ELSE '!' || m.iid END AS name FROM notes n
      LEFT JOIN issues i ON n.subject_type = 'Issue' AND i.id = n.subject_id
      LEFT JOIN merge_requests m ON n.subject_type = 'MergeRequest' AND m.id = n.subject_id
      WHERE n.id = ANY(${[...ids]}::int[]) AND (i.id IS NOT NULL OR m.id IS NOT NULL) ORDER BY n.id`;
    return rows.map(({ name }) => name);
  },
};
