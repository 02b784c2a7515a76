import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { Subject } from '#src/domain/changes/change.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { seenSubjects } from '#src/domain/tracking/notes/list.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { type Alias, alias } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows, readRow, readRows } from '#src/platform/records/read.ts';
import { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;

/** The models of events on issues and merge requests. */
export type EventModel = 'LabelEvent' | 'MilestoneEvent' | 'StateEvent';

/** An issue or merge request. */
type On = Pick<Subject, 'type' | 'id'>;

/** The readers of the events of a model. */
interface Reading<M extends EventModel> {
  /** The events of each record, oldest first, in one statement. The caller has checked that the records are visible. */
  list<R>(
    context: Context,
    type: Subject['type'],
    ids: readonly number[],
    page: PageRequest,
    selection: Selection<M, R>,
  ): Promise<Page<R>[]>;
  /** The event of a record that the actor can see. Throws NotFound. */
  find<R>(context: Context, on: On, id: number, selection: Selection<M, R>): Promise<R>;
  /**
   * The events with these IDs whose records the actor can see, in no particular order.
   *
   * @param projectOf finds the projects that the actor can see, null for others
   */
  findByIds<R>(
    context: Context,
    ids: readonly number[],
    selection: Selection<M, R>,
    projectOf: ProjectOf,
  ): Promise<(R & { id: number })[]>;
}

function eventsOf<M extends EventModel>(rows: Alias<M>): Reading<M> {
  const column = (name: 'id' | 'issueId' | 'mergeRequestId'): Prisma.Sql => Reflect.get(rows, name);
  const isOn = (type: Subject['type'], id: number | Prisma.Sql) =>
    sql`${column(type === 'Issue' ? 'issueId' : 'mergeRequestId')} = ${id}`;
  return {
    async list<R>(
      context: Context,
      type: Subject['type'],
      ids: readonly number[],
      page: PageRequest,
      selection: Selection<M, R>,
    ) {
      readerOf(context);
      const order = byKey(selection.model);
      const pageOf = ({ id }: Asked<{ id: number }>) =>
        pageOfRows(selection, { rows, where: isOn(type, id), order }, page);
      const parents = ids.map((id) => ({ id }));
      return readPages<R>(context.db, page, perParent(parents, { id: 'int' }, pageOf));
    },
    async find(context, on, id, selection) {
      readerOf(context);
      const where = sql`${column('id')} = ${id} AND ${isOn(on.type, on.id)}`;
      const found = await readRow(context.db, selection, { rows, where });
      if (!found) throw new NotFound(selection.model);
      return found;
    },
    async findByIds(context, ids, selection, projectOf) {
      const keys = new Selection(
        selection.model,
        new Map(['id', 'issueId', 'mergeRequestId'].map((key) => [key, null])),
      );
      const where = sql`${column('id')} = ANY(${[...ids]}::int[])`;
      const read = await readRows(context.db, selection.with(keys), { rows, where });
      const found = read as ((typeof read)[number] & Keys)[];
      const seen = async (type: Subject['type'], name: 'issueId' | 'mergeRequestId') => {
        const on = [...new Set(found.flatMap((event) => event[name] ?? []))];
        const subjects = on.length > 0 ? await seenSubjects(context, type, on, projectOf) : [];
        return new Set(subjects.map(({ id }) => id));
      };
      const [issues, mergeRequests] = [await seen('Issue', 'issueId'), await seen('MergeRequest', 'mergeRequestId')];
      return found.filter(({ issueId, mergeRequestId }) =>
        issueId === null ? mergeRequests.has(mergeRequestId ?? 0) : issues.has(issueId),
      );
    },
  };
}

interface Keys {
  id: number;
  issueId: number | null;
  mergeRequestId: number | null;
}

export const labelEvents = eventsOf(alias('LabelEvent', 'e'));
export const milestoneEvents = eventsOf(alias('MilestoneEvent', 'e'));
export const stateEvents = eventsOf(alias('StateEvent', 'e'));
