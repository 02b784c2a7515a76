import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { decrypt } from '#src/platform/secrets.ts';

/** A variable that a pipeline was given. */
export interface GivenVariable {
  key: string;
  value: string;
}

/** Requires a master of the project, or the developer who started the pipeline. Throws Forbidden, Unauthenticated. */
export function requireVariablesReader(context: Context, project: ProjectRow, { userId }: { userId: number }): void {
  const actor = requireActor(context);
  const isStarter = actor.id === userId && can(actor, 'update_pipeline', project);
  if (!isStarter) authorize(actor, 'admin_variable', project);
}

/** The variables that each pipeline was given, in one statement, for those who may read them. */
export async function givenVariables({ db, secret }: Context, ids: readonly number[]): Promise<GivenVariable[][]> {
  const rows = await db.pipeline.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, variablesEncrypted: true },
  });
  const texts = new Map(rows.map((row) => [row.id, row.variablesEncrypted]));
  return ids.map((id) => {
    const encrypted = texts.get(id);
    const variables: Record<string, string> = encrypted ? JSON.parse(decrypt(encrypted, secret)) : {};
    return Object.entries(variables).map(([key, value]) => ({ key, value }));
  });
}
