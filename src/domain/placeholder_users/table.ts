import { buffer } from 'node:stream/consumers';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { NamespaceRef } from '#src/domain/namespaces/find.ts';
import { requirePlace } from '#src/domain/placeholder_users/find.ts';
import {
  MAX_ROWS,
  MAX_TABLE_BYTES,
  type ReassignmentRow,
  readTable,
} from '#src/domain/placeholder_users/read_table.ts';
import { reassign } from '#src/domain/placeholder_users/reassign.ts';
import { csvLine } from '#src/domain/tracking/issue_tables/cells.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { DomainError, Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Assigns the placeholders of a table. */
    'users.reassign_by_table': { tableId: number };
  }
}

/** Days for which the result of a table can be seen. */
const KEPT = 30;
/** Tables of one user that run or wait at once. */
const MAX_RUNNING = 2;
/** Refused rows that are kept with their reasons, as each is written behind those before it, and those that the mail names. */
const MAX_FAILURES = 500;
const MAX_TOLD = 50;

/** The columns, as v4 names them. */
const NAMES = [
  'Source host',
  'Import type',
  'Source user identifier',
  'Source user name',
  'Source username',
  'GitLab username',
  'GitLab public email',
];

/** A row that was not accepted, and why. */
export interface RefusedRow {
  line: number;
  message: string;
}

/** How far the reassignments of a table are. */
export interface ReassignmentTable {
  id: number;
  namespaceId: number;
  totalCount: number;
  assignedCount: number;
  /** The first ones, at most 500, in the order of the table. */
  failures: RefusedRow[];
  createdAt: Date;
  /** Null while it runs. */
  finishedAt: Date | null;
}

/**
 * The placeholders of a namespace that nobody is assigned to, or that an account has refused, as a table in CSV to be filled: at most
 * 10,000, the oldest first. For owners. Throws NotFound, Forbidden, and ValidationFailed for a subgroup.
 */
export async function downloadTable(context: Context, ref: NamespaceRef): Promise<{ id: number; csv: string }> {
  const namespaceId = await requirePlace(context, ref);
  const rows = await context.db.importSourceUser.findMany({
    where: {
      namespaceId,
      status: { in: ['pending_reassignment', 'rejected'] },
      placeholderUserId: { not: null },
    },
    select: {
      sourceHostname: true,
      importType: true,
      sourceUserIdentifier: true,
      sourceName: true,
      sourceUsername: true,
    },
    orderBy: { id: 'asc' },
    take: MAX_ROWS,
  });
  const lines = rows.map((row) => [
    row.sourceHostname,
    row.importType,
    row.sourceUserIdentifier,
    row.sourceName,
    row.sourceUsername,
    '',
    '',
  ]);
  return { id: namespaceId, csv: [NAMES, ...lines].map(csvLine).join('') };
}

/**
 * Reads a table of who the users of sources are, and asks the accounts in the background, in the name of the actor. For owners. Throws
 * NotFound, Forbidden, ValidationFailed.
 */
export async function reassignByTable(
  context: Context,
  ref: NamespaceRef,
  file: IncomingFile,
): Promise<ReassignmentTable> {
  const actor = requireActor(context);
  if (actor.bot) throw new Forbidden();
  const namespaceId = await requirePlace(context, ref);
  if (file.size > MAX_TABLE_BYTES) throw new ValidationFailed({ file: ['is larger than 2 MB'] });
  const rows = readTable(await buffer(file.stream()));
  const id = await context.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${actor.id} FOR NO KEY UPDATE`;
    const running = await tx.reassignmentTable.count({ where: { userId: actor.id, finishedAt: null } });
    if (running >= MAX_RUNNING) throw new ValidationFailed({ file: [`has to wait for ${MAX_RUNNING} others`] });
    const data = { namespaceId, userId: actor.id, totalCount: rows.length };
    const added = await tx.reassignmentTable.create({ data: { ...data, rows: rows.map((row) => ({ ...row })) } });
    await context.jobs.enqueue(tx, 'users.reassign_by_table', { tableId: added.id });
    return added.id;
  });
  return findTable(context, id);
}

/** How far a table of the actor is. Throws NotFound. */
export async function findTable(context: Context, id: number): Promise<ReassignmentTable> {
  const [found] = await findTablesByIds(context, [id]);
  if (!found) throw new NotFound('ReassignmentTable');
  return found;
}

/** The tables of the actor with these IDs, in no particular order. */
export async function findTablesByIds(context: Context, ids: readonly number[]): Promise<ReassignmentTable[]> {
  const actor = requireActor(context);
  const found = await context.db.reassignmentTable.findMany({
    where: { id: { in: [...ids] }, userId: actor.id, namespace: { deletedAt: null } },
    omit: { rows: true },
  });
  return found.map((one) => ({ ...one, failures: one.failures as unknown as RefusedRow[] }));
}

/**
 * Assigns the placeholders of a table that are not assigned yet, each in a transaction with the progress, so that nobody is asked twice,
 * and tells whoever sent it of the result.
 *
 * @param as the context of a user; null if the user is no longer active
 */
export async function runTable(
  context: Pick<Context, 'db' | 'jobs'>,
  { tableId }: { tableId: number },
  as: (userId: number) => Promise<Context | null>,
): Promise<void> {
  const { db } = context;
  const found = await db.reassignmentTable.findUnique({ where: { id: tableId } });
  if (!found || found.finishedAt) return;
  const rows = found.rows as unknown as ReassignmentRow[];
  for (let at = found.nextRow; at < rows.length; at++) {
    const row = rows[at] as ReassignmentRow;
    // The rights are asked again for each, as somebody may lose them meanwhile.
    const own = await as(found.userId);
    if (!own) break;
    try {
      const account = await accountOf(db, row);
      const id = await sourceUserOf(db, found.namespaceId, row);
      await reassign(own, id, account, (tx) => recordAssigned(tx, tableId, at));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await recordRefused(db, tableId, at, { line: row.line, message: messageOf(error) });
    }
  }
  await finish(context, tableId);
}

/** Deletes old results. */
export async function forgetTables(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM reassignment_tables WHERE created_at < now() - make_interval(days => ${KEPT})`;
}

/** Another process may be at the same row: whoever moves on first has assigned it. */
class RowTaken extends Error {
  override name = 'RowTaken';
}

/** Without names of fields, which are those of another command. */
function messageOf(error: DomainError): string {
  if (error instanceof NotFound) return 'There is no such user of a source that you may assign';
  if (!(error instanceof ValidationFailed)) return error.message;
  const [text = error.message] = Object.values(error.fields).flat();
  return `The account ${text}`;
}

/** The account of a row by its username, or by a public address. Throws ValidationFailed. */
async function accountOf(db: Db, { username, email }: ReassignmentRow): Promise<{ userId: number }> {
  const refused = (text: string) => new ValidationFailed({ userId: [text] });
  const isPerson = { bot: false, ghost: false };
  const byName =
    username === ''
      ? null
      : await db.user.findFirst({
          where: { ...isPerson, username: { in: [username], mode: 'insensitive' } },
          select: { id: true, publicEmail: true },
        });
  if (username !== '' && byName === null) throw refused('with this username does not exist');
  if (byName && email !== '' && byName.publicEmail?.toLowerCase() !== email) {
    throw refused('with this username has another public email address');
  }
  if (byName) return { userId: byName.id };
  const byAddress = await db.user.findFirst({
    where: { ...isPerson, state: 'active', publicEmail: email },
    select: { id: true },
  });
  if (!byAddress) throw refused('with this public email address does not exist');
  return { userId: byAddress.id };
}

/** The ID of the user of a source that a row names. Throws NotFound. */
async function sourceUserOf(db: Db, namespaceId: number, { host, identifier }: ReassignmentRow): Promise<number> {
  const found = await db.importSourceUser.findUnique({
    where: {
      namespaceId_sourceHostname_sourceUserIdentifier: {
        ...{ namespaceId, sourceHostname: host, sourceUserIdentifier: identifier },
      },
    },
    select: { id: true },
  });
  if (!found) throw new NotFound('ImportSourceUser');
  return found.id;
}

async function recordAssigned(tx: Transaction, id: number, at: number): Promise<void> {
  const { count } = await tx.reassignmentTable.updateMany({
    where: { id, nextRow: at, finishedAt: null },
    data: { nextRow: at + 1, assignedCount: { increment: 1 } },
  });
  if (count === 0) throw new RowTaken(`Row ${at} of table ${id} is taken`);
}

async function recordRefused(db: Db, id: number, at: number, failure: RefusedRow): Promise<void> {
  const added = JSON.stringify([failure]);
  await db.$executeRaw`
    UPDATE reassignment_tables SET next_row = ${at} + 1,
      failures = CASE WHEN jsonb_array_length(failures) < ${MAX_FAILURES} THEN failures || ${added}::jsonb ELSE failures END
    WHERE id = ${id} AND next_row = ${at}`;
}

/** Ends a table, once, and mails the result to whoever sent it. */
async function finish({ db, jobs }: Pick<Context, 'db' | 'jobs'>, id: number): Promise<void> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.reassignmentTable.updateMany({
      where: { id, finishedAt: null },
      data: { finishedAt: new Date(), rows: [] },
    });
    if (count === 0 || !sendsMail(db)) return;
    const { namespace, user, ...table } = await tx.reassignmentTable.findUniqueOrThrow({
      where: { id },
      include: {
        namespace: { select: { fullPath: true } },
        user: { select: { email: true, username: true, state: true } },
      },
    });
    if (user.state !== 'active') return;
    const failures = table.failures as unknown as RefusedRow[];
    const more = failures.length > MAX_TOLD ? ['…'] : [];
    await jobs.enqueue(tx, 'mail.send', {
      ...{ kind: 'placeholders_reassigned', email: user.email, username: user.username },
      path: `/import/tables/${id}`,
      values: { path: namespace.fullPath, assigned: table.assignedCount, total: table.totalCount },
      lines: [...failures.slice(0, MAX_TOLD).map(({ line, message }) => `${line}: ${message}`), ...more],
    });
  });
}
