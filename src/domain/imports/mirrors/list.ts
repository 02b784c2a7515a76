import type { Context } from '#src/access/permissions/actor.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Columns } from '#src/platform/records/model.ts';
import { decrypt } from '#src/platform/secrets.ts';

/** The push mirrors of projects, oldest first, and one of them. */
export const {
  list: listMirrors,
  find: findMirror,
  findByIds: findMirrorsByIds,
} = projectScoped({
  ability: 'admin_mirror',
  rows: alias('RemoteMirror', 'rm'),
});

/** The URL of a mirror, with stars in the place of user name and password. */
export function shownUrl(
  { secret }: Pick<Context, 'secret'>,
  { urlEncrypted }: Pick<Columns['RemoteMirror'], 'urlEncrypted'>,
): string {
  const url = decrypt(Buffer.from(urlEncrypted, 'base64'), secret);
  return url.replace(/^(https?:\/\/)[^/@]*@/i, '$1*****:*****@');
}
