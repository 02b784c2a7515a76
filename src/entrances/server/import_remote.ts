import { setTimeout } from 'node:timers/promises';
import type { Context } from '#src/access/permissions/actor.ts';
import { findImports } from '#src/domain/project_archives/find_import.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { LeftOut, Part } from '#src/domain/remote_imports/base/source.ts';
import { projectsAt } from '#src/domain/remote_imports/list_projects.ts';
import type { ImportCount } from '#src/domain/remote_imports/progress.ts';
import type { ProviderName } from '#src/domain/remote_imports/providers.ts';
import { importFromServer } from '#src/domain/remote_imports/request.ts';
import { updateFromServer } from '#src/domain/remote_imports/update_request.ts';
import { asImporter, ended } from '#src/entrances/server/importer.ts';
import type { ImportStatus } from '#src/generated/prisma/client.ts';
import type { Config } from '#src/platform/config/config.ts';
import { DomainError } from '#src/platform/errors.ts';
import type { Logger } from '#src/platform/observability/log.ts';

interface Wanted {
  provider: ProviderName;
  /** As of importFromServer. */
  url?: string | undefined;
  token: string;
  parts?: readonly Part[] | undefined;
  /** Full path of the group or personal namespace; the user’s own if left out. */
  into?: string | undefined;
  /** The name of the user in whose name it is imported. */
  user: string;
  /** Whether to come back as soon as the import is left to the server. */
  isLeft: boolean;
}

export interface WantedMove extends Wanted {
  path: string;
  name?: string | undefined;
}

/** All projects of an owner. */
export interface WantedMoves extends Wanted {
  /** The path of a user, an organization or a group there. */
  owner: string;
  withoutForks: boolean;
}

export interface WantedProjectUpdate {
  /** Full path of the project. */
  project: string;
  /** Of the server that it came from. */
  token: string;
  /** Taken besides those of the import before. */
  parts?: readonly Part[] | undefined;
  /** The name of the user in whose name it is updated. */
  user: string;
  /** Whether to come back as soon as the update is left to the server. */
  isLeft: boolean;
}

/**
 * Has the server of the settings bring a project up to date from the server that it was imported from, and waits for the end. Throws an
 * Error where there is no server, and as updateFromServer does.
 */
export function updateRemoteProject(
  config: Config,
  log: Logger,
  { project: ref, token, parts, user, isLeft }: WantedProjectUpdate,
  show: (progress: MoveProgress) => void,
): Promise<MoveOutcome> {
  const command = { name: 'gantry import update', user, job: 'projects.update_remote' } as const;
  return asImporter(config, log, command, async (context) => {
    const project = await updateFromServer(context, { project: ref, token, parts });
    const left = { fullPath: project.fullPath, status: 'waiting', error: null, leftOut: [] } as const;
    if (isLeft) return left;
    const look = async () => {
      const [found] = await findImports(context, [project]);
      return found?.remote?.update ?? { status: 'none' as const, error: null };
    };
    const found = await ended(look, (update) => 'counts' in update && show(update));
    if (!found) return left;
    return { ...left, status: found.status, error: found.error, leftOut: 'leftOut' in found ? found.leftOut : [] };
  });
}

/** How far an import is. */
export interface MoveProgress {
  phase: string | null;
  counts: readonly ImportCount[];
  /** Until when the import waits for the source; null while it does not. */
  continuesAt: Date | null;
}

/** How an import went: `waiting` where the server has still to work on it. */
export interface MoveOutcome {
  fullPath: string;
  status: 'waiting' | ImportStatus;
  error: string | null;
  leftOut: readonly LeftOut[];
}

/**
 * Has the server of the settings import a project from another server, and waits for the end. Throws an Error where there is no server, and
 * as importFromServer does.
 */
export function importRemoteProject(
  config: Config,
  log: Logger,
  wanted: WantedMove,
  show: (progress: MoveProgress) => void,
): Promise<MoveOutcome> {
  const { provider, url, path, token, name, into, parts } = wanted;
  return asImporter(config, log, commandOf(wanted), async (context) => {
    const project = await importFromServer(context, { provider, url, path, token, name, namespace: into, parts });
    const left = { fullPath: project.fullPath, status: 'waiting', error: null, leftOut: [] } as const;
    if (wanted.isLeft) return left;
    const look = async () => {
      const [found] = await findImports(context, [project]);
      return found ?? { status: 'none' as const, error: null, remote: null };
    };
    const found = await ended(look, ({ remote }) => remote && show(remote));
    if (!found) return left;
    return { ...left, status: found.status, error: found.error, leftOut: found.remote?.leftOut ?? [] };
  });
}

function commandOf({ provider, user }: Wanted) {
  return { name: `gantry import ${provider}`, user, job: 'projects.import_remote' } as const;
}

/** How the import of one of several projects went. */
export interface OneOutcome extends Pick<MoveOutcome, 'error'> {
  /** Its path at the other server, and here; null if there is none. */
  path: string;
  fullPath: string | null;
  /** `skipped` where there is a project at its path. */
  status: MoveOutcome['status'] | 'skipped';
  /** Why it could not begin; null where it has. */
  refusal: DomainError | null;
  /** How many things were left out. */
  leftOut: number;
}

/** Milliseconds between two looks at imports, and after which nobody seems to work on them. */
const LOOK_AGAIN_AFTER = 1_000;
const NOBODY_WORKS_AFTER = 15_000;

/**
 * As importRemoteProject, of all projects of an owner: the server works on as many at once as it does on its own.
 *
 * @param tell is told of each when it has ended
 */
export function importRemoteProjects(
  config: Config,
  log: Logger,
  wanted: WantedMoves,
  tell: (outcome: OneOutcome) => void,
): Promise<void> {
  const { provider, url, owner, token, withoutForks } = wanted;
  return asImporter(config, log, commandOf(wanted), async (context) => {
    const found = await projectsAt(context, { provider, url, owner, token });
    const waiting = new Map<string, ProjectRow>();
    for (const { path, isFork } of found) {
      if (isFork && withoutForks) continue;
      const project = await begin(context, wanted, path, tell);
      if (project) waiting.set(path, project);
    }
    await watch(context, waiting, wanted.isLeft, tell);
  });
}

/** Has one of several projects imported; where that cannot be, it is told, and null returned. */
async function begin(
  context: Context,
  { provider, url, token, into, parts }: WantedMoves,
  path: string,
  tell: (outcome: OneOutcome) => void,
): Promise<ProjectRow | null> {
  try {
    return await importFromServer(context, { provider, url, path, token, namespace: into, parts });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const status = error.condition === 'alreadyExists' ? 'skipped' : 'failed';
    tell({ path, fullPath: null, status, error: error.message, refusal: error, leftOut: 0 });
    return null;
  }
}

/** Tells of each import when it has ended, and of the rest if no server works on them. */
async function watch(
  context: Context,
  waiting: Map<string, ProjectRow>,
  isLeft: boolean,
  tell: (outcome: OneOutcome) => void,
): Promise<void> {
  const since = Date.now();
  for (let isWorked = false; waiting.size > 0; await setTimeout(LOOK_AGAIN_AFTER)) {
    const rows = await findImports(context, [...waiting.values()]);
    isWorked ||= rows.some(({ status }) => status !== 'scheduled');
    const isOver = isLeft || (!isWorked && Date.now() > since + NOBODY_WORKS_AFTER);
    for (const [at, [path, { fullPath }]] of [...waiting].entries()) {
      const { status = 'none', error = null, remote = null } = rows[at] ?? {};
      const isWaiting = status === 'scheduled' || status === 'started';
      if (isWaiting && !isOver) continue;
      waiting.delete(path);
      const ended = isWaiting || status === 'none' ? 'waiting' : status;
      tell({ path, fullPath, status: ended, error, refusal: null, leftOut: remote?.leftOut.length ?? 0 });
    }
  }
}
