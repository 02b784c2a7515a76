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

/** Prefix of trigger tokens, so that they are recognized where they do not belong. */
export const TRIGGER_TOKEN = 'gtr-';

/** Characters of a token that everyone who sees the trigger may know: enough to tell tokens apart. */
const SHOWN = 4;

/** The token of a trigger: whole for its owner, whom it acts as, and its first characters for everyone else. */
export function triggerToken(
  { actor, secret }: Pick<Context, 'actor' | 'secret'>,
  { ownerId, tokenEncrypted }: Pick<Columns['Trigger'], 'ownerId' | 'tokenEncrypted'>,
): string {
  const sealed = Buffer.from(tokenEncrypted, 'base64');
  return actor?.id === ownerId ? decrypt(sealed, secret) : shortTriggerToken(sealed, secret);
}

/** The first characters of an encrypted token, behind its prefix. */
export function shortTriggerToken(sealed: Uint8Array, secret: string): string {
  const token = decrypt(sealed, secret);
  const start = token.startsWith(TRIGGER_TOKEN) ? TRIGGER_TOKEN.length : 0;
  return token.slice(start, start + SHOWN);
}
