import { can, DEVELOPER, REPORTER } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { forbidden, NO_PROJECT, type RemoteService, requireProtocol } from '#src/domain/repository/access_remote.ts';
import { writeRefusal } from '#src/domain/repository/writable.ts';
import { type DeployKeyHolder, findHolderById } from '#src/domain/users/keys/holder.ts';
import { MERGE_REQUEST_REFS } from '#src/git/refs/name.ts';
import { NotFound, Unauthenticated } from '#src/platform/errors.ts';

/** An actor that finds every project; the access of the key is checked afterwards. It is no user, and used for nothing else. */
const FINDER: Actor = {
  id: 0,
  username: '',
  admin: true,
  external: false,
  canCreateGroup: false,
  projectsLimit: 0,
  credential: 'server',
  scopes: ['api'],
};

/**
 * The project whose repository a deploy key may fetch from or push to, with the key's access level in it: developer if it may
 * push, else reporter. Public projects can be fetched with any key. Messages are for the user of the client. Throws DomainError
 * of FORBIDDEN, and NotFound, whose `movedTo` holds the new path of a moved project.
 */
export async function openByDeployKey(
  context: Context,
  key: DeployKeyHolder,
  fullPath: string,
  service: RemoteService,
): Promise<ProjectRow> {
  await requireProtocol(context, 'ssh');
  return requireKey(await find(context, key, fullPath), key, service);
}

/** The project, if the key may do this there. Throws DomainError of FORBIDDEN. */
function requireKey({ project, isOwn }: Opened, key: DeployKeyHolder, service: RemoteService): ProjectRow {
  if (service === 'fetch') return project;
  if (!isOwn) throw forbidden('This deploy key is not one of the project: it cannot push to it.');
  if (!key.canPush) throw forbidden('This deploy key can only read: it cannot push.');
  if (key.actor === null) {
    throw forbidden(
      'The user who added this deploy key was deleted or is blocked: nothing can be pushed with it. Ask a master of the project to add a new one.',
    );
  }
  const refusal = writeRefusal(project);
  if (refusal !== null) throw forbidden(refusal);
  return project;
}

/**
 * The project of a token that was given to the client of a deploy key, if the key may still do this there. Throws as openByDeployKey,
 * and Unauthenticated if there is no such key any more.
 */
export async function openByKeyGrant(
  context: Context,
  { deployKeyId, projectId }: { deployKeyId: number; projectId: number },
  fullPath: string,
  service: RemoteService,
): Promise<ProjectRow> {
  const key = await findHolderById(context.db, { kind: 'deploy', keyId: deployKeyId });
  if (key?.kind !== 'deploy') throw new Unauthenticated('The deploy key was removed.');
  const found = await look(context, key, fullPath);
  if (typeof found !== 'object' || found.project.id !== projectId) throw new NotFound('Project', NO_PROJECT);
  return requireKey(found, key, service);
}

/** Like hiddenRefs, for a deploy key: in its own projects it may read what reporters can, elsewhere no more than anyone. */
export function hiddenFromKey(project: ProjectRow): string[] {
  const key = { ...FINDER, admin: false, external: true };
  const isShown = can(key, 'read_merge_request', { ...project, visibility: 'private' });
  return isShown ? [] : [MERGE_REQUEST_REFS];
}

interface Opened {
  project: ProjectRow;
  /** Whether the key belongs to the project; else the project is public. */
  isOwn: boolean;
}

async function find(context: Context, key: DeployKeyHolder, fullPath: string): Promise<Opened> {
  const found = await look(context, key, fullPath);
  if (typeof found === 'object') return found;
  const moved = found && (await look(context, key, found));
  if (typeof moved !== 'object') throw new NotFound('Project', NO_PROJECT);
  const { fullPath: now } = moved.project;
  throw new NotFound('Project', `The project has moved to ${now}.`, now);
}

/** The project of the key at a path, or the path to which it moved; empty if there is neither. */
async function look(
  context: Context,
  key: Pick<DeployKeyHolder, 'keyId' | 'canPush'>,
  fullPath: string,
): Promise<Opened | string> {
  if (fullPath.includes('\0')) return '';
  try {
    const project = await findProject({ ...context, actor: FINDER }, fullPath);
    const ids = { projectId: project.id, deployKeyId: key.keyId };
    const isOwn = (await context.db.projectDeployKey.count({ where: ids })) > 0;
    const opened = { ...project, accessLevel: !isOwn ? 0 : key.canPush ? DEVELOPER : REPORTER };
    const isOpen = isOwn ? opened.repositoryEnabled : can(null, 'read_repository', opened);
    return isOpen ? { project: opened, isOwn } : '';
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    const { movedTo } = error.extensions;
    return typeof movedTo === 'string' ? movedTo : '';
  }
}
