import { startBulkImport } from '#src/domain/bulk_imports/request.ts';
import type { LeftOut } from '#src/domain/remote_imports/base/source.ts';
import { asImporter, ended } from '#src/entrances/server/importer.ts';
import type { BulkImportStatus, ImportStatus } from '#src/generated/prisma/client.ts';
import type { Config } from '#src/platform/config/config.ts';
import type { Logger } from '#src/platform/observability/log.ts';

export interface WantedGroupMove {
  /** The web address of the other server, and the full path of the group there. */
  url: string;
  source: string;
  token: string;
  /** The last part of its path here, and the full path of its parent group, empty for the top. */
  slug: string;
  into: string;
  withProjects: boolean;
  withMembers: boolean;
  /** The name of the user in whose name it is imported. */
  user: string;
  /** Whether to come back as soon as the import is left to the server. */
  isLeft: boolean;
}

/** What became of a group or project. */
export interface MovedPart {
  fullPath: string;
  status: BulkImportStatus;
  error: string | null;
  leftOut: readonly LeftOut[];
}

/** How an import went: `waiting` where the server has still to work on it. */
export interface GroupMoveOutcome {
  fullPath: string;
  status: 'waiting' | ImportStatus;
  parts: readonly MovedPart[];
}

/** Statuses of imports of projects for those of several. */
const STATUSES: Readonly<Record<BulkImportStatus, ImportStatus>> = {
  created: 'scheduled',
  started: 'started',
  finished: 'finished',
  failed: 'failed',
  timeout: 'failed',
  canceled: 'canceled',
};

/**
 * Has the server of the settings import a group from another GitLab, and waits for the end. Throws an Error where there is no server, and
 * as startBulkImport does.
 */
export function importRemoteGroup(
  config: Config,
  log: Logger,
  wanted: WantedGroupMove,
  show: (progress: { ended: number; all: number }) => void,
): Promise<GroupMoveOutcome> {
  const { url, source, token, slug, into, user, withProjects, withMembers } = wanted;
  const command = { name: 'gantry import gitlab-group', user, job: 'bulk_imports.advance' } as const;
  return asImporter(config, log, command, async (context) => {
    const { db } = context;
    const bulkImportId = await startBulkImport(context, {
      configuration: { url, accessToken: token },
      entities: [
        {
          ...{ sourceType: 'group_entity', sourceFullPath: source, destinationSlug: slug, destinationNamespace: into },
          ...{ migrateProjects: withProjects, migrateMemberships: withMembers },
        },
      ],
    });
    const left = { fullPath: into === '' ? slug : `${into}/${slug}`, status: 'waiting', parts: [] } as const;
    if (wanted.isLeft) return left;
    const look = async () => {
      const { status } = await db.bulkImport.findUniqueOrThrow({ where: { id: bulkImportId } });
      const all = await db.bulkImportEntity.count({ where: { bulkImportId } });
      const open = await db.bulkImportEntity.count({ where: { bulkImportId, status: { in: ['created', 'started'] } } });
      return { status: STATUSES[status], all, ended: all - open };
    };
    const found = await ended(look, show);
    if (!found) return left;
    const rows = await db.bulkImportEntity.findMany({ where: { bulkImportId }, orderBy: { id: 'asc' } });
    const parts = rows.map((row) => ({
      ...{ status: row.status, error: row.error, leftOut: row.leftOut as unknown as LeftOut[] },
      fullPath:
        row.destinationNamespace === '' ? row.destinationSlug : `${row.destinationNamespace}/${row.destinationSlug}`,
    }));
    return { ...left, status: found.status, parts };
  });
}
