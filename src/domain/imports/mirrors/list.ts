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

type Stored = Pick<Columns['RemoteMirror'], 'urlEncrypted'>;
const CREDENTIALS = /^(https?:\/\/)[^/@]*@/i;

/** The URL of a mirror, with stars in the place of user name and password. */
export function shownUrl(context: Pick<Context, 'secret'>, mirror: Stored): string {
  return urlOf(context, mirror).replace(CREDENTIALS, '$1*****:*****@');
}

/** The URL of a mirror, without user name and password. */
export function urlAlone(context: Pick<Context, 'secret'>, mirror: Stored): string {
  return urlOf(context, mirror).replace(CREDENTIALS, '$1');
}

function urlOf({ secret }: Pick<Context, 'secret'>, { urlEncrypted }: Stored): string {
  return decrypt(Buffer.from(urlEncrypted, 'base64'), secret);
}
