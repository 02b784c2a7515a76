import { can } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces } from '#src/access/permissions/places.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { searchAtRef } from '#src/domain/repository/code_search/at_ref.ts';
import {
  fits,
  hasSome,
  isIndexed,
  isNamed,
  isWanted,
  lacksAll,
  matchesTerm,
} from '#src/domain/repository/code_search/match.ts';
import { type CodeQuery, findsFiles, readCodeQuery } from '#src/domain/repository/code_search/query.ts';
import type { FoundCodeRow } from '#src/domain/repository/code_search/rows.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { defaultBranch, type Revision } from '#src/domain/repository/revision.ts';
import { type FoundPage, revisionIn } from '#src/domain/repository/search.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { saidBy, withinTime } from '#src/platform/database/within_time.ts';
import { BadRequest } from '#src/platform/errors.ts';
import type { PageRequest } from '#src/platform/page.ts';

const { sql } = Prisma;

/** Where to search: in one project, in a group and the groups inside it, or everywhere. */
export interface CodePlace {
  project?: ProjectRow;
  /** A branch, tag or hash of the project; its default branch when left out. */
  ref?: string | null | undefined;
  group?: { id: number };
  /** Whether archived projects are searched, too; in one project they always are. */
  includeArchived?: boolean;
}

/** Files that a search finds at most. */
const MAX_FOUND = 1_000;

/** Texts and paths with the terms, on the whole server, up to which the files that have them are looked up, rather than the files of each project. */
const MAX_HITS = 500;

/** How long a search takes at most, in milliseconds. */
const SEARCH_TIMEOUT_MS = 5_000;

/** Lines around the first one that matches, and characters of a line. */
const AROUND = 3;
const MAX_LINES = 5;
const MAX_LINE_LENGTH = 500;

const NOTHING = { nodes: [], total: 0, isLimited: false };

/**
 * The files of default branches with what a query says that the actor may read, by project and path. Throws BadRequest for a query
 * that is none.
 */
export async function searchCode(
  context: Context,
  place: CodePlace,
  text: string,
  page: PageRequest,
): Promise<FoundPage<FoundCodeRow>> {
  const actor = readerOf(context);
  const query = readCodeQuery(text);
  const { offset } = page;
  if (!findsFiles(query)) return { ...NOTHING, offset };
  if (place.project) {
    if (!can(actor, 'read_repository', place.project)) return { ...NOTHING, offset };
    const elsewhere = await notIndexed(context, place.project, place.ref);
    if (elsewhere !== null) {
      await requireExpressions(context, query);
      const { rows, isLimited } = await searchAtRef(context, place.project, elsewhere.revision, elsewhere.ref, query);
      return { nodes: rows.slice(offset, offset + page.limit), offset, total: rows.length, isLimited };
    }
  }
  const narrowed = [
    ...(place.project ? [sql`p.id = ${place.project.id}`] : []),
    ...(place.group ? [sql`n.lineage @> ARRAY[${place.group.id}]::int[]`] : []),
    ...(place.project || place.includeArchived ? [] : [sql`NOT p.archived`]),
    sql`p.id IN (SELECT ci.project_id FROM code_indexes ci)`,
  ];
  const seen = seenPlaces(actor, sql`(${Prisma.join(narrowed, ' AND ')})`, 'repository');
  // Counting means to look for all of them.
  const most = page.withTotal ? MAX_FOUND + 1 : Math.min(offset + page.limit + 1, MAX_FOUND + 1);
  return withEffort(context, async () => {
    const found = await within(context, statement(query, seen, { most, page }));
    if (found === null) return { ...NOTHING, offset, isLimited: true };
    const { rows, total } = found;
    return { nodes: rows, offset, total: Math.min(total, MAX_FOUND), isLimited: total > MAX_FOUND };
  });
}

/** The revision of a project that is searched without the index, which is of another one; null for what the index has. */
async function notIndexed(
  context: Context,
  project: ProjectRow,
  ref: string | null | undefined,
): Promise<{ revision: Revision; ref: string } | null> {
  const revision = await revisionIn(context, project, ref);
  if (!revision) return null;
  const index = await context.db.codeIndex.findUnique({
    where: { projectId: project.id },
    select: { tip: true, ref: true },
  });
  if (index?.tip === revision.oid && (!ref || ref === index.ref)) return null;
  return { revision, ref: ref || ((await defaultBranch(project, revision.repository)) ?? '') };
}

/** Throws BadRequest for regular expressions that are none. */
async function requireExpressions(context: Context, { has, lacks }: CodeQuery): Promise<void> {
  const all = [...has, ...lacks]
    .filter(({ kind }) => kind === 'regex')
    .map(({ value }) => matchesTerm(sql`''`, { kind: 'regex', value }));
  if (all.length > 0) await within(context, sql`SELECT ARRAY[${Prisma.join(all)}] AS fits`);
}

interface Raw {
  total: number;
  rows: FoundCodeRow[];
}

/** Null where the database took too long. Throws BadRequest for a regular expression that is none. */
async function within({ db }: Pick<Context, 'db'>, wanted: Prisma.Sql): Promise<Raw | null> {
  try {
    const rows = await withinTime(db, SEARCH_TIMEOUT_MS, (tx) => tx.$queryRaw<Raw[]>(wanted));
    return rows && (rows[0] ?? { total: 0, rows: [] });
  } catch (error) {
    if (/2201B|invalid regular expression/i.test(saidBy(error)))
      throw new BadRequest('search has an invalid regular expression', 'search');
    throw error;
  }
}

/**
 * The files, and as one row how many there are with those of the page. Where few texts of the whole server match, the index leads to
 * them; otherwise the files of one project after another are looked at, until there are enough.
 */
function statement(
  query: CodeQuery,
  seen: Prisma.Sql,
  { most, page }: { most: number; page: PageRequest },
): Prisma.Sql {
  const filters = fits(sql`f.path`, sql`f.language`, query);
  const columns = sql`f.project_id, f.path, f.language, f.blob_id`;
  const { offset, limit } = page;
  const [indexed, hits] = isIndexed(query)
    ? [sql`(SELECT count(*) FROM hits) <= ${MAX_HITS}`, hitsOf(query)]
    : [
        sql`FALSE`,
        sql`hits AS MATERIALIZED (SELECT NULL::int AS blob_id, NULL::int AS project_id, NULL::text AS path WHERE FALSE)`,
      ];
  const byText = sql`SELECT ${columns} FROM (SELECT DISTINCT h.blob_id FROM hits h WHERE h.blob_id IS NOT NULL) h
    JOIN code_files f ON f.blob_id = h.blob_id WHERE ${indexed} AND f.project_id IN (SELECT v.id FROM places v WHERE v.commits) AND ${filters}`;
  const byPath = sql`SELECT ${columns} FROM hits h JOIN code_files f ON f.project_id = h.project_id AND f.path = h.path
    LEFT JOIN code_blobs b ON b.id = f.blob_id
    WHERE ${indexed} AND f.project_id IN (SELECT v.id FROM places v WHERE v.commits) AND ${filters} AND ${lacksAll(sql`b.content`, query)}`;
  const common = sql`SELECT ${sql`e.project_id, e.path, e.language, e.blob_id`} FROM (SELECT v.id FROM places v WHERE v.commits ORDER BY v.id) v
    CROSS JOIN LATERAL (SELECT ${columns} FROM code_files f LEFT JOIN code_blobs b ON b.id = f.blob_id
      WHERE f.project_id = v.id AND ${filters}
        AND (${isWanted(sql`(b.content || '')`, query)} OR (${isNamed(sql`f.path`, query)} AND ${lacksAll(sql`b.content`, query)}))
      ORDER BY f.path LIMIT ${most} OFFSET 0) e WHERE NOT (${indexed}) LIMIT ${most}`;
  return sql`WITH ${seen}, ${hits},
    found AS MATERIALIZED (SELECT * FROM (${byText} UNION ${byPath} UNION ALL (${common})) a ORDER BY a.project_id, a.path LIMIT ${most}),
    shown AS MATERIALIZED (SELECT * FROM found ORDER BY project_id, path OFFSET ${offset} LIMIT ${limit})
    SELECT (SELECT count(*)::int FROM found) AS total, COALESCE((SELECT json_agg(r ORDER BY r."projectId", r.path) FROM (${shownRows(query)}) r), '[]') AS rows`;
}

/** The texts with all terms, and the paths, as far as they are few. */
function hitsOf(query: CodeQuery): Prisma.Sql {
  return sql`hits AS MATERIALIZED (
    (SELECT b.id AS blob_id, NULL::int AS project_id, NULL::text AS path FROM code_blobs b WHERE ${isWanted(sql`b.content`, query)} LIMIT ${MAX_HITS + 1})
    UNION ALL (SELECT NULL, f.project_id, f.path FROM code_files f WHERE ${isNamed(sql`f.path`, query)} LIMIT ${MAX_HITS + 1}))`;
}

/** The rows of a page with their lines. */
function shownRows(query: CodeQuery): Prisma.Sql {
  return sql`SELECT s.project_id AS "projectId", ci.ref, s.path, s.language, COALESCE(m.lines, '[]'::json) AS lines,
      GREATEST(COALESCE(m.first, 1) - ${AROUND}, 1)::int AS "startLine",
      COALESCE((SELECT string_agg(left(d.line, ${MAX_LINE_LENGTH}) || E'\n', '' ORDER BY d.n)
        FROM unnest(t.lines[GREATEST(COALESCE(m.first, 1) - ${AROUND}, 1):COALESCE(m.first, 1) + ${AROUND}]) WITH ORDINALITY d(line, n)), '') AS data
    FROM shown s JOIN code_indexes ci ON ci.project_id = s.project_id
    LEFT JOIN LATERAL (SELECT string_to_array(CASE WHEN right(b.content, 1) = E'\n' THEN left(b.content, -1) ELSE b.content END, E'\n') AS lines
      FROM code_blobs b WHERE b.id = s.blob_id) t ON TRUE
    LEFT JOIN LATERAL (SELECT min(l.n) AS first, json_agg(json_build_object('line', l.n, 'text', left(l.line, ${MAX_LINE_LENGTH})) ORDER BY l.n) AS lines
      FROM (SELECT l.n, l.line FROM unnest(t.lines) WITH ORDINALITY l(line, n) WHERE ${hasSome(sql`l.line`, query)} ORDER BY l.n LIMIT ${MAX_LINES}) l) m ON TRUE`;
}
