import { hash } from 'node:crypto';
import type { Line } from '#src/domain/project_archives/lines.ts';
import type { Db, Prisma, Transaction } from '#src/platform/database/db.ts';

/** What is remembered of a record that came from another server. */
export interface RememberedRecord {
  /** What names it at the source among those of its kind. */
  key: string;
  /** The record here; of what connects two of them, the issue or merge request. Null for what has no ID. */
  recordId: number | null;
  /** Of what connects two of them, the label or user. */
  otherId: number | null;
  /** Hashes of what it was at the source when it was last taken, by the columns of archives. */
  fields: Readonly<Record<string, string>>;
}

/** How many are read or written by a statement. */
const BATCH_SIZE = 1_000;

/**
 * The columns of each kind that follow the source when they change there. Who wrote something and when it was made does not change, and
 * neither do rights: protections of branches that came stay as they are here. What changed of snippets, badges and boards is told alone.
 */
export const FOLLOWED: Readonly<Record<string, readonly string[]>> = {
  labels: ['title', 'color', 'description'],
  milestones: ['title', 'description', 'state', 'start_date', 'due_date'],
  issues: [
    'title',
    'description',
    'state',
    'type',
    'confidential',
    'due_date',
    'time_estimate',
    'discussion_locked',
    'milestone_id',
  ],
  merge_requests: [
    'title',
    'description',
    'state',
    'target_branch',
    'time_estimate',
    'discussion_locked',
    'milestone_id',
    'sha',
    'merge_commit_sha',
    'squash_commit_sha',
    'merge_user_id',
    'merged_at',
    'closed_by_id',
    'closed_at',
    'finished_at',
  ],
  merge_request_reviewers: ['state'],
  notes: ['body'],
  discussions: ['resolved_at', 'resolved_by_id'],
  suggestions: ['from_content', 'to_content', 'lines_above', 'lines_below'],
  releases: ['name', 'description', 'released_at'],
  protected_branches: ['allow_force_push', 'code_owner_approval_required'],
  protected_branch_levels: ['access_level'],
  snippets: ['title', 'description', 'content', 'visibility'],
  badges: ['link_url', 'image_url'],
  boards: ['name'],
};

/** The hash of a value of a source, short enough to be kept for each column of each record. */
export function valueHash(value: unknown): string {
  return hash('sha256', JSON.stringify(value ?? null), 'base64url').slice(0, 12);
}

/** The hashes of the columns of a line that follow the source. */
export function fieldsOf(kind: string, record: Line['record']): Record<string, string> {
  const columns = (FOLLOWED[kind] ?? []).filter((column) => record[column] !== undefined);
  return Object.fromEntries(columns.map((column) => [column, valueHash(record[column])]));
}

/** What names the record of a line at its source; null for one of an archive. */
export function sourceKeyOf({ record }: Line): string | null {
  return typeof record.source_key === 'string' ? record.source_key : null;
}

interface Row extends Omit<RememberedRecord, 'fields'> {
  fields: Prisma.JsonValue;
}

/** What connects the records of a project with those at the server that it came from. */
export class SourceRecords {
  readonly #db: Db | Transaction;
  readonly #projectId: number;

  constructor(db: Db | Transaction, projectId: number) {
    this.#db = db;
    this.#projectId = projectId;
  }

  /** The remembered ones of some keys, at most a thousand, by these. */
  async find(kind: string, keys: readonly string[]): Promise<Map<string, RememberedRecord>> {
    if (keys.length === 0) return new Map();
    const rows = await this.#db.$queryRaw<Row[]>`
      SELECT source_key AS key, record_id AS "recordId", other_id AS "otherId", fields FROM remote_records
      WHERE project_id = ${this.#projectId} AND kind = ${kind} AND source_key = ANY(${[...keys]}::text[])`;
    return new Map(rows.map((row) => [row.key, remembered(row)]));
  }

  /** All of a kind, some at a time, in the order of their keys. */
  async *each(kind: string): AsyncGenerator<RememberedRecord[]> {
    for (let last = ''; ; ) {
      const rows = await this.#db.$queryRaw<Row[]>`
        SELECT source_key AS key, record_id AS "recordId", other_id AS "otherId", fields FROM remote_records
        WHERE project_id = ${this.#projectId} AND kind = ${kind} AND source_key > ${last} ORDER BY source_key LIMIT ${BATCH_SIZE}`;
      if (rows.length > 0) yield rows.map(remembered);
      last = rows.at(-1)?.key ?? last;
      if (rows.length < BATCH_SIZE) return;
    }
  }

  /** Remembers records, in the place of what was remembered of their keys. */
  async remember(kind: string, records: readonly RememberedRecord[]): Promise<void> {
    const unique = [...new Map(records.map((one) => [one.key, one])).values()];
    for (let at = 0; at < unique.length; at += BATCH_SIZE) {
      const rows = JSON.stringify(
        unique.slice(at, at + BATCH_SIZE).map(({ key, recordId, otherId, fields }) => ({
          ...{ key, fields },
          ...{ record_id: recordId, other_id: otherId },
        })),
      );
      await this.#db.$executeRaw`
        INSERT INTO remote_records (project_id, kind, source_key, record_id, other_id, fields)
        SELECT ${this.#projectId}, ${kind}, r.key, r.record_id, r.other_id, r.fields
        FROM jsonb_to_recordset(${rows}::jsonb) AS r (key text, record_id int, other_id int, fields jsonb)
        ON CONFLICT (project_id, kind, source_key)
        DO UPDATE SET record_id = EXCLUDED.record_id, other_id = EXCLUDED.other_id, fields = EXCLUDED.fields`;
    }
  }

  /** Forgets what is no longer at the source, so that it can come again. */
  async forget(kind: string, keys: readonly string[]): Promise<void> {
    await this.#db.$executeRaw`
      DELETE FROM remote_records WHERE project_id = ${this.#projectId} AND kind = ${kind} AND source_key = ANY(${[...keys]}::text[])`;
  }
}

function remembered({ fields, ...row }: Row): RememberedRecord {
  return { ...row, fields: fields as RememberedRecord['fields'] };
}
