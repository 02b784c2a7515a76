import { buffer } from 'node:stream/consumers';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { isDay } from '#src/base/day.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { MAX_TABLE_BYTES, readIssueTable, type TableRow } from '#src/domain/tracking/issue_tables/read.ts';
import { type Continued, createIssue, type NewIssue } from '#src/domain/tracking/issues/create.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { DomainError, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Opens the issues of a table. */
    'issues.import': { importId: number };
  }
}

/** Days for which the result of an import can be seen. */
const KEPT = 30;
/** Imports of one user that run or wait at once. */
const MAX_RUNNING = 5;

/** A row that was not imported, and why. */
export interface RefusedRow {
  line: number;
  message: string;
}

/** How far an import is. */
export interface IssueImport {
  id: number;
  projectId: number;
  totalCount: number;
  createdCount: number;
  /** In the order of the table. */
  failures: RefusedRow[];
  createdAt: Date;
  /** Null while it runs. */
  finishedAt: Date | null;
}

/**
 * Reads a table of issues in CSV, which are opened in the background in the name of the actor. For reporters. Throws NotFound, Forbidden,
 * ValidationFailed.
 */
export async function importIssues(context: Context, ref: IdOrPath, file: IncomingFile): Promise<IssueImport> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'create_issue', project);
  authorize(actor, 'admin_issue', project);
  if (file.size > MAX_TABLE_BYTES) throw new ValidationFailed({ file: ['is larger than 1 MB'] });
  const rows = readIssueTable(await buffer(file.stream()));
  const { id } = await context.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${actor.id} FOR NO KEY UPDATE`;
    const running = await tx.issueImport.count({ where: { userId: actor.id, finishedAt: null } });
    if (running >= MAX_RUNNING)
      throw new ValidationFailed({ base: [`You have ${MAX_RUNNING} imports that still run`] });
    const data = { projectId: project.id, userId: actor.id, totalCount: rows.length };
    const added = await tx.issueImport.create({ data: { ...data, rows: rows.map((row) => ({ ...row })) } });
    await context.jobs.enqueue(tx, 'issues.import', { importId: added.id });
    return added;
  });
  return findIssueImport(context, project, id);
}

/** How far an import of the actor in a project is. Throws NotFound. */
export async function findIssueImport(
  context: Context,
  { id: projectId }: ProjectRow,
  id: number,
): Promise<IssueImport> {
  const [found] = await ownImports(context, [id]);
  if (found?.projectId !== projectId) throw new NotFound('Import');
  return found;
}

/**
 * The imports of the actor with these IDs, in projects that the actor can see, in no particular order.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findIssueImportsByIds(
  context: Context,
  ids: readonly number[],
  projectOf: ProjectOf,
): Promise<IssueImport[]> {
  const found = await ownImports(context, ids);
  const projects = await Promise.all(found.map(({ projectId }) => projectOf(projectId)));
  return found.filter((_import, at) => projects[at] !== null);
}

async function ownImports(context: Context, ids: readonly number[]): Promise<IssueImport[]> {
  const actor = requireActor(context);
  const found = await context.db.issueImport.findMany({
    where: { id: { in: [...ids] }, userId: actor.id },
    omit: { rows: true },
  });
  return found.map((one) => ({ ...one, failures: one.failures as unknown as RefusedRow[] }));
}

/**
 * Opens the issues of a table that are not open yet, each in a transaction with the progress, so that none is opened twice.
 *
 * @param as the context of a user; null if the user is no longer active
 */
export async function runIssueImport(
  db: Db,
  { importId }: { importId: number },
  as: (userId: number) => Promise<Context | null>,
): Promise<void> {
  const found = await db.issueImport.findUnique({ where: { id: importId } });
  if (!found || found.finishedAt) return;
  const rows = found.rows as unknown as TableRow[];
  const project = found.projectId;
  for (let at = found.nextRow; at < rows.length; at++) {
    const row = rows[at] as TableRow;
    // The rights are asked again for each, as somebody may lose them meanwhile.
    const context = await as(found.userId);
    if (!context) break;
    const opened = () => recordOpened(importId, at);
    try {
      await createIssue(context, issueOf(project, row), async (actor, place) => importing(actor, place, opened()));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await recordRefused(db, importId, at, { line: row.line, message: error.message });
    }
  }
  await db.issueImport.updateMany({ where: { id: importId }, data: { finishedAt: new Date(), rows: [] } });
}

/** Deletes old results. */
export async function forgetIssueImports(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM issue_imports WHERE created_at < now() - make_interval(days => ${KEPT})`;
}

/** Another process may be at the same row: whoever moves on first has opened it. */
class RowTaken extends Error {
  override name = 'RowTaken';
}

function importing(actor: Actor, project: ProjectRow, record: (tx: Transaction) => Promise<void>): Continued {
  authorize(actor, 'admin_issue', project);
  return {
    title: '',
    description: '',
    openIn: async (tx, open) => {
      await record(tx);
      return open();
    },
  };
}

function recordOpened(id: number, at: number): (tx: Transaction) => Promise<void> {
  return async (tx) => {
    const { count } = await tx.issueImport.updateMany({
      where: { id, nextRow: at, finishedAt: null },
      data: { nextRow: at + 1, createdCount: { increment: 1 } },
    });
    if (count === 0) throw new RowTaken(`Row ${at} of import ${id} is taken`);
  };
}

async function recordRefused(db: Db, id: number, at: number, failure: RefusedRow): Promise<void> {
  const added = JSON.stringify([failure]);
  await db.$executeRaw`
    UPDATE issue_imports SET next_row = ${at} + 1, failures = failures || ${added}::jsonb WHERE id = ${id} AND next_row = ${at}`;
}

function issueOf(project: number, row: TableRow): NewIssue {
  const { title, description, labels, milestone, assignees, dueDate, confidential, type } = row;
  return {
    project,
    title,
    ...(description !== undefined && { description }),
    ...(labels !== undefined && { labels: names(labels) }),
    ...(milestone !== undefined && { milestone }),
    ...(assignees !== undefined && { assigneeUsernames: names(assignees) }),
    ...(dueDate !== undefined && { dueDate: dayOf(dueDate) }),
    ...(confidential !== undefined && { confidential: isYes(confidential) }),
    ...(type !== undefined && { type: typeOf(type) }),
  };
}

const TYPES = ['issue', 'incident', 'task'] as const;

function typeOf(text: string): (typeof TYPES)[number] {
  const found = TYPES.find((type) => type === text.trim().toLowerCase());
  if (!found) throw new ValidationFailed({ type: ['must be issue, incident or task'] });
  return found;
}

function dayOf(text: string): string {
  const day = text.trim();
  if (!isDay(day)) throw new ValidationFailed({ due_date: ['must be a day, as YYYY-MM-DD'] });
  return day;
}

function isYes(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (!['yes', 'no', 'true', 'false'].includes(word))
    throw new ValidationFailed({ confidential: ['must be yes or no'] });
  return word === 'yes' || word === 'true';
}

function names(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim().replace(/^@/, ''))
    .filter((name) => name !== '');
}
