import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { OwnedProject } from '#src/domain/remote_imports/base/source.ts';
import { PROVIDERS } from '#src/domain/remote_imports/providers.ts';
import { askSource, type WantedRemoteImport } from '#src/domain/remote_imports/request.ts';

/**
 * The projects of an owner at another server that a token may read: of a user, an organization, or a group without the groups in it.
 * Throws Forbidden, ValidationFailed.
 */
export async function projectsAt(
  context: Context,
  { provider: name, url, owner, token }: Pick<WantedRemoteImport, 'provider' | 'url' | 'token'> & { owner: string },
): Promise<OwnedProject[]> {
  requireActor(context);
  const provider = PROVIDERS[name];
  return askSource(context, provider, { url, path: owner, token }, 'owner', (client, address) =>
    provider.owned(client, address),
  );
}
