import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { hiddenRefs, type RemoteRepository } from '#src/domain/repository/access_remote.ts';
import { ensureRepository } from '#src/domain/repository/ensure.ts';
import { countFetch } from '#src/domain/repository/fetches.ts';
import type { Received } from '#src/domain/repository/receive.ts';
import { answerPush } from '#src/domain/repository/remote/answer_push.ts';
import { hiddenFromKey, openByDeployKey } from '#src/domain/repository/remote/deploy_key.ts';
import { requireProgram } from '#src/domain/repository/remote/program.ts';
import { openAnyRemote } from '#src/domain/snippets/remote.ts';
import { followPush } from '#src/domain/tracking/merge_requests/after_push.ts';
import { type KeyHolder, noteKeyUse } from '#src/domain/users/keys/holder.ts';
import type { GitCommand } from '#src/entrances/ssh/command.ts';
import type { SshServices } from '#src/entrances/ssh/services.ts';
import { pushableRefs } from '#src/git/remote/push_advertisement.ts';
import { converse } from '#src/git/remote/serve_fetch.ts';

/** The streams of a git client. */
export interface GitStreams {
  input: Readable;
  output: Writable;
  /** Aborted when the client is gone, or too slow. */
  signal: AbortSignal;
  /** The protocol version that the client requests, such as `version=2`. */
  protocol: string | undefined;
}

/**
 * Serves a fetch or push for the owner of a key, by the same rules as over HTTP. Returns the exit status for the client, after it
 * has read the whole response. Throws as openRemote, openByDeployKey, receivePush, or the signal's reason.
 */
export async function serveGit(
  { stores, gitConcurrency, baseUrl, report }: SshServices,
  { holder, address }: { holder: KeyHolder; address: string | null },
  { service, fullPath }: GitCommand,
  { input, output, signal, protocol }: GitStreams,
): Promise<number> {
  await noteKeyUse(stores.db, holder);
  const context: Context = { ...stores, actor: holder.actor, clientAddress: address };
  const caller = holder.kind === 'user' ? callerOf(holder.actor, address) : `deploy key ${holder.keyId}`;
  const release = await gitConcurrency.take(caller);
  try {
    const project = await open(context, holder, fullPath, service);
    await requireProgram();
    const { directory } = await ensureRepository(context, project);
    const hidden =
      holder.kind === 'deploy' && !project.side ? hiddenFromKey(project) : await hiddenRefs(context, project);
    if (service === 'fetch') {
      const onPack = () => {
        if (!project.side) countFetch(context.db, project.id).catch(report);
      };
      const status = await converse(directory, input, output, { protocol, hidden, signal, onPack });
      await finished(output);
      return status;
    }
    output.write(await pushableRefs(directory, hidden));
    const deployKeyId = holder.kind === 'deploy' ? holder.keyId : undefined;
    const followed = { context, project, deployKeyId, baseUrl: await baseUrl(), report };
    const push = { context, project, deployKeyId, body: input, signal, goesOn: true };
    const follow = (received: Received) => followPush(followed, received);
    output.end(await answerPush({ ...push, follow }, output));
    await finished(output);
    return 0;
  } finally {
    release();
  }
}

function open(
  context: Context,
  holder: KeyHolder,
  fullPath: string,
  service: GitCommand['service'],
): Promise<RemoteRepository> {
  if (holder.kind === 'deploy') return openByDeployKey(context, holder, fullPath, service);
  return openAnyRemote(context, fullPath, service, 'ssh');
}
