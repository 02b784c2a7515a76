import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Columns } from '#src/platform/records/model.ts';
import { decrypt } from '#src/platform/secrets.ts';

/** The registration token for runners; null unless the actor administers the project (behaviour.md 7). */
export function runnersToken(
  { actor, secret }: Context,
  project: ProjectRow & Pick<Columns['Project'], 'runnersToken'>,
): string | null {
  return can(actor, 'admin_runner', project) ? decrypt(Buffer.from(project.runnersToken, 'base64'), secret) : null;
}
