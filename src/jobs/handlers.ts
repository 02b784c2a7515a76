import { expireAccountTokens } from '#src/account_tokens/expire.ts';
import { removeMergedBranches } from '#src/branches/merged.ts';
import type { Db } from '#src/db.ts';
import { removeNamespace } from '#src/groups/remove.ts';
import type { JobHandlers } from '#src/jobs/queue.ts';
import { deliver, type Outgoing } from '#src/mail/deliver.ts';
import { removeExpiredMembers } from '#src/members/expire.ts';
import { removeProject } from '#src/projects/remove.ts';
import { forkRepository } from '#src/repository/fork.ts';
import { maintainActive, maintainProject } from '#src/repository/maintain.ts';
import { reconcileAll } from '#src/repository/reconcile.ts';
import type { RepositoryStore } from '#src/repository/store.ts';
import { expireSessions } from '#src/sessions/expire.ts';
import { pruneAttempts } from '#src/users/attempts.ts';

/** Every job with the command that does it. Mail that is wanted while none is sent is dropped. */
export function jobHandlers(db: Db, repositories: RepositoryStore, outgoing?: Outgoing): JobHandlers {
  return {
    'projects.remove': ({ projectId }) => removeProject({ db, repositories }, projectId),
    'namespaces.remove': ({ namespaceId }) => removeNamespace({ db, repositories }, namespaceId),
    'branches.delete_merged': ({ projectId, userId }) => removeMergedBranches({ db, repositories }, projectId, userId),
    'projects.fork': ({ projectId }) => forkRepository({ db, repositories }, projectId),
    'repositories.maintain': ({ projectId }) =>
      projectId === undefined ? maintainActive({ db, repositories }) : maintainProject({ db, repositories }, projectId),
    'repositories.reconcile': () => reconcileAll({ db, repositories }),
    'members.expire': () => removeExpiredMembers(db),
    'mail.send': async (wanted) => outgoing && deliver({ db, ...outgoing }, wanted),
    'sessions.expire': async () => {
      await expireSessions(db);
      await expireAccountTokens(db);
      await pruneAttempts(db);
    },
  };
}
