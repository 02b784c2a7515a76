import { findImports } from '#src/domain/project_archives/find_import.ts';
import type { LeftOut } from '#src/domain/remote_imports/base/source.ts';
import type { ImportCount } from '#src/domain/remote_imports/progress.ts';
import type { ProviderName } from '#src/domain/remote_imports/providers.ts';
import { importFromServer } from '#src/domain/remote_imports/request.ts';
import { updateFromServer } from '#src/domain/remote_imports/update_request.ts';
import { asImporter, ended } from '#src/entrances/server/importer.ts';
import type { ImportStatus } from '#src/generated/prisma/client.ts';
import type { Config } from '#src/platform/config/config.ts';
import type { Logger } from '#src/platform/observability/log.ts';

export interface WantedMove {
  provider: ProviderName;
  /** As of importFromServer. */
  url?: string | undefined;
  path: string;
  token: string;
  name?: string | undefined;
  /** Full path of the group or personal namespace; the user’s own if left out. */
  into?: string | undefined;
  /** The name of the user in whose name it is imported. */
  user: string;
  /** Whether to come back as soon as the import is left to the server. */
  isLeft: boolean;
}

export interface WantedProjectUpdate {
  /** Full path of the project. */
  project: string;
  /** Of the server that it came from. */
  token: string;
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
  { project: ref, token, user, isLeft }: WantedProjectUpdate,
  show: (progress: MoveProgress) => void,
): Promise<MoveOutcome> {
  const command = { name: 'gantry import update', user, job: 'projects.update_remote' } as const;
  return asImporter(config, log, command, async (context) => {
    const project = await updateFromServer(context, { project: ref, token });
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
  const { provider, url, path, token, name, into, user } = wanted;
  const command = { name: `gantry import ${provider}`, user, job: 'projects.import_remote' } as const;
  return asImporter(config, log, command, async (context) => {
    const project = await importFromServer(context, { provider, url, path, token, name, namespace: into });
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
