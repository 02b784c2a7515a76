import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { decrypt } from '#src/platform/secrets.ts';
import type { ProjectRow } from '#src/projects/find.ts';

/** A value that the builds of a project get (rest-api-v4.md, Build variable). */
export interface VariableRow {
  projectId: number;
  key: string;
  value: string;
}

/** The variables of a project in the order of their creation, for who administers it. */
export async function listVariables(
  context: Context,
  project: ProjectRow,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<VariableRow>> {
  authorize(requireActor(context), 'admin_variable', project);
  const where = { projectId: project.id };
  const [rows, total] = await Promise.all([
    context.db.variable.findMany({ where, orderBy: { id: 'asc' }, skip: offset, take: limit }),
    withTotal ? context.db.variable.count({ where }) : null,
  ]);
  return { nodes: rows.map((row) => readable(context, row)), offset, total };
}

/** One variable of a project. Throws Forbidden, NotFound. */
export async function findVariable(context: Context, project: ProjectRow, key: string): Promise<VariableRow> {
  authorize(requireActor(context), 'admin_variable', project);
  // What the database cannot compare is the name of nothing.
  const where = { projectId_key: { projectId: project.id, key: key.replaceAll('\0', ' ') } };
  const row = await context.db.variable.findUnique({ where });
  if (!row) throw new NotFound('Variable');
  return readable(context, row);
}

function readable(
  { secret }: Context,
  { projectId, key, valueEncrypted }: { projectId: number; key: string; valueEncrypted: Uint8Array },
): VariableRow {
  return { projectId, key, value: decrypt(valueEncrypted, secret) };
}
