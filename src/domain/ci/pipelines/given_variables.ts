import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import { keyErrors } from '#src/domain/ci/variables/save.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { decrypt, encrypt } from '#src/platform/secrets.ts';

/** A variable that a pipeline was given. */
export interface GivenVariable {
  key: string;
  value: string;
  /** Whether the runner writes the value to a file. */
  isFile: boolean;
  /** Whether variables in the value stay as they are. */
  raw: boolean;
}

/** Requires a master of the project, or the developer who started the pipeline. Throws Forbidden, Unauthenticated. */
export function requireVariablesReader(context: Context, project: ProjectRow, pipeline: { userId: number }): void {
  if (!mayReadVariables(context, project, pipeline)) authorize(requireActor(context), 'admin_variable', project);
}

/** Whether the actor is a master of the project, or the developer who started the pipeline. */
export function mayReadVariables(
  { actor }: Pick<Context, 'actor'>,
  project: ProjectRow,
  { userId }: { userId: number },
): boolean {
  if (!actor) return false;
  return can(actor, 'admin_variable', project) || (actor.id === userId && can(actor, 'update_pipeline', project));
}

/** The variables that each pipeline was given, in one statement, for those who may read them. */
export async function givenVariables({ db, secret }: Context, ids: readonly number[]): Promise<GivenVariable[][]> {
  const rows = await db.pipeline.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, variablesEncrypted: true },
  });
  const texts = new Map(rows.map((row) => [row.id, row.variablesEncrypted]));
  return ids.map((id) => decryptVariables(texts.get(id) ?? null, secret));
}

/** The texts by name, as variables that are neither files nor raw. */
export function plainVariables(variables: Variables): GivenVariable[] {
  return Object.entries(variables).map(([key, value]) => ({ key, value, isFile: false, raw: false }));
}

/** Variables that somebody may give a pipeline, and characters of all of them. */
const MAX_VARIABLES = 200;
const MAX_CHARACTERS = 64 * 1024;

/** Throws ValidationFailed for variables that a pipeline cannot be given. */
export function validateVariables(variables: readonly GivenVariable[]): void {
  const size = variables.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  const problems = [
    ...new Set(variables.flatMap(({ key }) => keyErrors(key))),
    ...(variables.length > MAX_VARIABLES ? [`must be at most ${MAX_VARIABLES}`] : []),
    ...(size > MAX_CHARACTERS ? [`are larger than ${MAX_CHARACTERS} characters`] : []),
  ];
  if (problems.length > 0) throw new ValidationFailed({ variables: problems });
}

/** The variables as a pipeline keeps them: texts by name, and objects for those that are more; null for none. */
export function encryptVariables(variables: readonly GivenVariable[], secret: string): Uint8Array<ArrayBuffer> | null {
  if (variables.length === 0) return null;
  const entries = variables.map(({ key, value, isFile, raw }) => [key, isFile || raw ? { value, isFile, raw } : value]);
  return encrypt(JSON.stringify(Object.fromEntries(entries)), secret);
}

/** The variables of a pipeline, in the order in which they were given. */
export function decryptVariables(encrypted: Uint8Array | null, secret: string): GivenVariable[] {
  if (encrypted === null) return [];
  const kept: Record<string, string | Omit<GivenVariable, 'key'>> = JSON.parse(decrypt(encrypted, secret));
  return Object.entries(kept).map(([key, value]) =>
    typeof value === 'string' ? { key, value, isFile: false, raw: false } : { key, ...value },
  );
}
