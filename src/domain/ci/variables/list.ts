import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Columns } from '#src/platform/records/model.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { decrypt } from '#src/platform/secrets.ts';

const variable = alias('Variable', 'v');
const variables = projectScoped({ ability: 'admin_variable', rows: variable });

/** The variables of projects in order of creation, for users who administer them. */
export const { list: listVariables } = variables;

/** One variable of a project. Throws Forbidden, NotFound, Unauthenticated. */
export function findVariable<R>(
  context: Context,
  project: ProjectRow,
  key: string,
  selection: Selection<'Variable', R>,
): Promise<R> {
  // Keys that the database cannot compare match nothing.
  const isIt = Prisma.sql`${variable.key} = ${key.replaceAll('\0', ' ')}`;
  return variables.find(context, project, isIt, selection);
}

/** The value that jobs get. */
export function variableValue(
  { secret }: Context,
  { valueEncrypted }: Pick<Columns['Variable'], 'valueEncrypted'>,
): string {
  return decrypt(Buffer.from(valueEncrypted, 'base64'), secret);
}
