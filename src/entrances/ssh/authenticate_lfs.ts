import type { Context } from '#src/access/permissions/actor.ts';
import { openRemote, type RemoteRepository } from '#src/domain/repository/access_remote.ts';
import { isLfsEnabled } from '#src/domain/repository/lfs_objects.ts';
import { openByDeployKey } from '#src/domain/repository/remote/deploy_key.ts';
import { lfsTokenEnd, newLfsToken, secondsLeft } from '#src/domain/uploads/lfs/token.ts';
import { type KeyHolder, noteKeyUse } from '#src/domain/users/keys/holder.ts';
import type { LfsCommand } from '#src/entrances/ssh/command.ts';
import type { SshServices } from '#src/entrances/ssh/services.ts';
import { DomainError } from '#src/platform/errors.ts';

/**
 * The answer to `git-lfs-authenticate`: the address of the objects of a project over HTTP, and a token for them. Throws as openRemote and
 * openByDeployKey.
 */
export async function authenticateLfs(
  { stores, baseUrl }: SshServices,
  { holder, address }: { holder: KeyHolder; address: string | null },
  { service, fullPath }: LfsCommand,
): Promise<string> {
  await noteKeyUse(stores.db, holder);
  const context: Context = { ...stores, actor: holder.actor, clientAddress: address };
  const project: RemoteRepository =
    holder.kind === 'deploy'
      ? await openByDeployKey(context, holder, fullPath, service)
      : await openRemote(context, fullPath, service, 'ssh');
  const refusal = new DomainError('notAllowed', 'Git LFS is not enabled in this project.');
  if (project.side) throw refusal;
  if (!(await isLfsEnabled(context, project))) throw refusal;
  const proof = holder.kind === 'deploy' ? { deployKey: holder.keyId } : { sshKey: holder.keyId };
  const grant = { projectId: project.id, service, proof, expires: lfsTokenEnd() };
  const token = newLfsToken(grant, context.secret);
  const path = project.fullPath.split('/').map(encodeURIComponent).join('/');
  return JSON.stringify({
    href: `${await baseUrl()}/${path}.git/info/lfs`,
    header: { Authorization: `Basic ${Buffer.from(`lfs:${token}`).toString('base64')}` },
    expires_in: secondsLeft(grant),
  });
}
