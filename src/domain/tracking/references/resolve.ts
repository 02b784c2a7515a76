import { REPORTER } from '#src/access/permissions/abilities.ts';
import { featureThere } from '#src/access/permissions/features.ts';
import {
  issueVisible,
  openTo,
  projectAccessLevel,
  projectVisible,
  type Seer,
} from '#src/access/permissions/visibility.ts';
import type { RecordName } from '#src/domain/tracking/references/scan.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const [project, namespace] = [alias('Project', 'p'), alias('Namespace', 'n')];
const [issue, mergeRequest] = [alias('Issue', 'i'), alias('MergeRequest', 'mr')];

/** An issue or merge request that a text references. */
export interface NamedRecord {
  type: RecordName['type'];
  id: number;
  iid: number;
  projectId: number;
}

/**
 * The distinct records referenced by texts of a project: `#4` and `group/project#4` may be the same.
 *
 * @param from full path of the project of the texts
 */
export function distinctNames(from: string, names: readonly RecordName[]): RecordName[] {
  const found = new Map<string, RecordName>();
  for (const name of names) {
    const { around, own } = placeOf(name.path, from);
    const key = `${name.type} ${around}/${own} ${name.number}`.toLowerCase();
    if (!found.has(key)) found.set(key, name);
  }
  return [...found.values()];
}

/**
 * The referenced records that the actor can see, without duplicates, in one statement, in an order independent of the text.
 *
 * @param from full path of the project of the text
 */
export async function resolveRecords(
  db: Pick<Transaction, '$queryRaw'>,
  actor: Seer | null,
  from: string,
  names: readonly RecordName[],
): Promise<NamedRecord[]> {
  const wanted = distinctNames(from, names).map(({ type, path, number }) => ({ type, number, ...placeOf(path, from) }));
  const found = await recordsAt(db, actor, wanted);
  return found.map(({ type, id, iid, projectId }) => ({ type, id, iid, projectId }));
}

/** An issue or merge request by the place of its project. */
export interface PlacedName {
  type: RecordName['type'];
  number: number;
  /** Path of the namespace of its project. */
  around: string;
  /** Path of the project in it. */
  own: string;
}

/** Those of the records that the actor can see, with their names, in one statement; none for no names. */
export async function recordsAt(
  db: Pick<Transaction, '$queryRaw'>,
  actor: Seer | null,
  wanted: readonly PlacedName[],
): Promise<(NamedRecord & PlacedName & { title: string; fullPath: string })[]> {
  if (wanted.length === 0) return [];
  const level = sql`l.level`;
  const isMember = actor?.admin === true || sql`${level} > 0`;
  const readsCode = sql`(${openTo(actor, project)} OR ${level} >= ${REPORTER} OR ${actor?.admin === true})`;
  return queryRows(
    db,
    sql`SELECT r.*, COALESCE(i.id, mr.id) AS id, r.number AS iid, p.id AS "projectId", COALESCE(i.title, mr.title) AS title,
        ${namespace.fullPath} || '/' || ${project.path} AS "fullPath"
      FROM json_to_recordset(${JSON.stringify(wanted)}::json) AS r (type text, number int, around text, own text)
      JOIN ${table(namespace)} ON lower(${namespace.fullPath}) = lower(r.around) AND ${namespace.deletedAt} IS NULL
      JOIN ${table(project)} ON ${project.namespaceId} = ${namespace.id} AND lower(${project.path}) = lower(r.own)
      CROSS JOIN LATERAL (SELECT ${projectAccessLevel(actor, project, namespace)} AS level OFFSET 0) l
      LEFT JOIN ${table(issue)} ON r.type = 'Issue' AND ${featureThere('issues', project, isMember)} AND ${issue.projectId} = ${project.id}
        AND ${issue.iid} = r.number AND ${issue.deletedAt} IS NULL
        AND ${issueVisible(issue, actor, sql`${level} >= ${REPORTER}`)}
      LEFT JOIN ${table(mergeRequest)} ON r.type = 'MergeRequest' AND ${featureThere('mergeRequests', project, isMember)} AND ${readsCode}
        AND ${mergeRequest.targetProjectId} = ${project.id} AND ${mergeRequest.iid} = r.number
      WHERE ${projectVisible(actor, project, level)} AND COALESCE(i.id, mr.id) IS NOT NULL ORDER BY r.type, id`,
  );
}

/** Whether a reference with this path, from texts of a project, names that project. */
export function namesProject(path: string | null, fullPath: string): boolean {
  const { around, own } = placeOf(path, fullPath);
  return `${around}/${own}`.toLowerCase() === fullPath.toLowerCase();
}

/** Namespace and own path of a project that a text of another one references. */
export function placeOf(path: string | null, from: string): { around: string; own: string } {
  const full = path === null ? from : path.includes('/') ? path : `${from.slice(0, from.lastIndexOf('/'))}/${path}`;
  const slash = full.lastIndexOf('/');
  return { around: full.slice(0, slash), own: full.slice(slash + 1) };
}
