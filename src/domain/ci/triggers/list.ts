import type { Context } from '#src/access/permissions/actor.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Columns } from '#src/platform/records/model.ts';
import { decrypt } from '#src/platform/secrets.ts';
import '#src/domain/users/computed_fields.ts';

/** The triggers of projects, oldest first, and one of them. */
export const {
  list: listTriggers,
  find: findTrigger,
  findByIds: findTriggersByIds,
} = projectScoped({
  ability: 'admin_trigger',
  rows: alias('Trigger', 't'),
});

/** The token of a trigger, in full for its owner only. */
export function triggerToken(
  { secret }: Context,
  { tokenEncrypted }: Pick<Columns['Trigger'], 'tokenEncrypted'>,
): string {
  return decrypt(Buffer.from(tokenEncrypted, 'base64'), secret);
}
