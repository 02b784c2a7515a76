import { authorize, can, type ProjectAbility } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf, requireActor } from '#src/access/permissions/actor.ts';
import { issueVisible, openTo, projectAccessLevel } from '#src/access/permissions/visibility.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import type { Change } from '#src/domain/live/change.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');
const namespace = alias('Namespace', 'n');

/** What is reported as deleted, as notifications name it, with its type and the ability to have seen it in its project. */
export const DELETABLE = {
  issue: { type: 'Issue', ability: 'read_issue' },
  merge_request: { type: 'MergeRequest', ability: 'read_merge_request' },
  pipeline: { type: 'Pipeline', ability: 'read_pipeline' },
  label: { type: 'Label', ability: 'read_label' },
  board: { type: 'Board', ability: 'read_board' },
  release: { type: 'Release', ability: 'read_release' },
  feature_flag: { type: 'FeatureFlag', ability: 'read_feature_flag' },
  project: { type: 'Project', ability: 'read_project' },
  todo: { type: 'Todo', ability: 'read_project' },
} as const satisfies Record<string, { type: string; ability: ProjectAbility }>;

export type DeletableKind = keyof typeof DELETABLE;

/** What was deleted, and the project that it was in, if that is still there. */
export interface DeletedRow {
  kind: DeletableKind;
  id: number;
  project: ProjectRow | null;
}

/** What was deleted, for those who could see it. Throws NotFound, Forbidden, Unauthenticated. */
export async function findDeleted(context: Context, change: Change): Promise<DeletedRow> {
  const { id, of = '', projectId, namespaceId, userId } = change;
  if (!isDeletable(of)) throw new NotFound('Record');
  const found = { kind: of, id, project: null };
  if (userId !== undefined) {
    if (requireActor(context).id !== userId) throw new NotFound('Todo');
    return found;
  }
  if (of === 'project') {
    if (!(await couldSeeProject(context, change))) throw new NotFound('Project');
    return found;
  }
  if (namespaceId !== undefined) {
    await findGroup(context, namespaceId);
    return found;
  }
  const project = await findProject(context, projectId);
  authorize(readerOf(context), DELETABLE[of].ability, project);
  if (of === 'issue' && !(await couldSeeIssue(context, project, id))) throw new NotFound('Issue');
  return { ...found, project };
}

function isDeletable(of: string): of is DeletableKind {
  return Object.hasOwn(DELETABLE, of);
}

/** Rows of deleted issues stay, with those who could see them. */
async function couldSeeIssue(context: Context, project: ProjectRow, id: number): Promise<boolean> {
  const actor = readerOf(context);
  const seesConfidential = can(actor, 'read_confidential_issue', project);
  const rows = await context.db.$queryRaw<object[]>`
    SELECT 1 FROM ${table(issue)} WHERE ${issue.id} = ${id} AND ${issueVisible(issue, actor, seesConfidential)}`;
  return rows.length > 0;
}

/** The row of the project may be gone with its members; those of the groups around it remain. */
async function couldSeeProject(
  context: Context,
  { id, namespaceId = 0, visibility = 'private' }: Change,
): Promise<boolean> {
  const actor = readerOf(context);
  if (actor?.admin) return true;
  const isOpen = openTo(actor, { visibility: sql`${visibility}` });
  const level = projectAccessLevel(actor, { id: sql`${id}::int` }, namespace);
  const rows = await context.db.$queryRaw<object[]>`
    SELECT 1 FROM ${table(namespace)} WHERE ${namespace.id} = ${namespaceId} AND (${isOpen} OR ${level} > 0)`;
  return rows.length > 0;
}
