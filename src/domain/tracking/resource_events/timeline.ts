import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { Subject } from '#src/domain/changes/change.ts';
import { isSourceVisible, sourcePlaces } from '#src/domain/tracking/subjects/seen_sources.ts';
import { all, PLACE, Prisma, pageJson, readPages } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import type { CursorPosition, Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';

const { sql, raw, join } = Prisma;
const note = alias('Note', 'nt');

/** The events of a timeline, by their tables. */
const EVENTS = {
  LabelEvent: sql`label_events`,
  MilestoneEvent: sql`milestone_events`,
  StateEvent: sql`state_events`,
} as const;

/** An entry of a timeline: a note or an event, by its ID. */
export interface TimelineEntry {
  kind: 'Note' | keyof typeof EVENTS;
  id: number;
}

/** Which entries a timeline has, and from which end. */
export interface TimelineList {
  kinds?: readonly TimelineEntry['kind'][] | null | undefined;
  /** Oldest first by default. */
  sort?: Direction | null | undefined;
}

/**
 * The notes on each of the records and the events of its labels, milestones and states, in one statement. Excludes
 * notes that the actor cannot see, and system notes that only say what an event says. The caller has checked that the records are visible.
 *
 * @throws ValidationFailed for a cursor of another list
 */
export async function listTimeline(
  context: Context,
  type: Subject['type'],
  ids: readonly number[],
  { kinds, sort }: TimelineList,
  page: PageRequest,
): Promise<Page<TimelineEntry>[]> {
  const actor = readerOf(context);
  const isDescending = sort === 'desc';
  const whole = raw(isDescending ? 'DESC' : 'ASC');
  const end = raw(isDescending !== (page.isBackwards ?? false) ? 'DESC' : 'ASC');
  const limit = page.limit + (page.withPlaces ? 1 : 0);
  const first = (entries: Prisma.Sql, count: number, offset: number) => sql`SELECT * FROM (${entries}) k
    WHERE ${all([sql`TRUE`, ...between(page, isDescending)])}
    ORDER BY k.created_at ${end}, k.kind ${end}, k.id ${end} LIMIT ${count} OFFSET ${offset}`;
  const pageOf = ({ id }: Asked<{ id: number }>) => {
    const asked = entriesOf({ type, id }, actor, kinds);
    // No kind gives more than the page can have, so that none is read further than that.
    const bounded = asked.map((one) => sql`(${first(one, limit + page.offset, 0)})`);
    const part = first(join(bounded, ' UNION ALL '), limit, page.offset);
    const nodes = sql`(SELECT COALESCE(json_agg(json_build_object('kind', k.kind, 'id', k.id, ${raw(`'${PLACE}'`)},
      json_build_object('created_at', k.created_at, 'kind', k.kind, 'id', k.id)) ORDER BY k.created_at ${whole}, k.kind ${whole}, k.id ${whole}), '[]') FROM (${part}) k)`;
    return pageJson(nodes, page.withTotal && sql`(SELECT count(*) FROM (${join(asked, ' UNION ALL ')}) k)`);
  };
  const places = sourcePlaces(actor, sql`sn.subject_type = ${type} AND sn.subject_id = ANY(${[...ids]}::int[])`);
  const parents = ids.map((id) => ({ id }));
  return readPages(context.db, page, perParent(parents, { id: 'int' }, pageOf, [places]));
}

/** The entries of a record as one statement a kind, of those that are asked for. */
function entriesOf(
  { type, id }: { type: Subject['type']; id: Prisma.Sql | number },
  actor: Actor | null,
  kinds: TimelineList['kinds'],
): Prisma.Sql[] {
  const column = type === 'Issue' ? sql`issue_id` : sql`merge_request_id`;
  const isShown = all([
    sql`${note.subjectType} = ${type}`,
    sql`${note.subjectId} = ${id}`,
    isSourceVisible(note, actor),
    sql`NOT ${note.tellsEvent}`,
  ]);
  const columns = sql`'Note' AS kind, ${note.id} AS id, ${note.createdAt} AS created_at`;
  const entries: [TimelineEntry['kind'], Prisma.Sql][] = [
    ['Note', sql`SELECT ${columns} FROM ${table(note)} WHERE ${isShown}`],
    ...Object.entries(EVENTS).map(([kind, events]): [TimelineEntry['kind'], Prisma.Sql] => [
      kind as keyof typeof EVENTS,
      sql`SELECT ${kind} AS kind, te.id, te.created_at FROM ${events} te WHERE te.${column} = ${id}`,
    ]),
  ];
  const asked = entries.filter(([kind]) => kinds == null || kinds.includes(kind)).map(([, one]) => one);
  return asked.length > 0 ? asked : [sql`SELECT '' AS kind, 0 AS id, now() AS created_at WHERE FALSE`];
}

/** The conditions for entries (`k`) behind one place and before another. */
function between({ after, before }: PageRequest, isDescending: boolean): Prisma.Sql[] {
  const [behind, inFront] = isDescending ? [raw('<'), raw('>')] : [raw('>'), raw('<')];
  return [
    ...(after ? [sql`(k.created_at, k.kind, k.id) ${behind} (${place('after', after)})`] : []),
    ...(before ? [sql`(k.created_at, k.kind, k.id) ${inFront} (${place('before', before)})`] : []),
  ];
}

function place(name: string, { created_at: at, kind, id }: CursorPosition): Prisma.Sql {
  const isPlace = typeof at === 'string' && typeof kind === 'string' && Number.isSafeInteger(id);
  if (!isPlace || Number.isNaN(Date.parse(at)))
    throw new ValidationFailed({ [name]: ['is not a cursor of this list'] });
  return sql`${at}::timestamptz, ${kind}::text, ${Number(id)}::bigint`;
}
