import { createHash } from 'node:crypto';
import { lfsStore, placeOf } from '#src/domain/uploads/lfs/place.ts';
import type { WithUploads } from '#src/domain/uploads/store.ts';
import type { Finding } from '#src/entrances/fsck/finding.ts';

interface Row {
  id: number;
  oid: string;
  secret: string;
  size: bigint;
  /** One of the projects that have it; null if none has it any more. */
  project: string | null;
}

/** How many rows are read at once. */
const BATCH_SIZE = 500;

const ADVICE = 'Restore it from a backup, or push it again from a clone that has it: git lfs push --all.';

/** Reads the objects of Git LFS of one project, or of all, each once, and finds those that are missing or damaged. */
export async function* checkLfs(stores: WithUploads, projectId: number | null): AsyncGenerator<Finding> {
  for (let last = 0; ; ) {
    const rows = await stores.db.$queryRaw<Row[]>`
      SELECT o.id, o.oid, o.secret, o.size, (
        SELECT n.full_path || '/' || p.path FROM lfs_object_projects l
        JOIN projects p ON p.id = l.project_id AND p.deleted_at IS NULL JOIN namespaces n ON n.id = p.namespace_id
        WHERE l.lfs_object_id = o.id AND (${projectId}::int IS NULL OR p.id = ${projectId}) ORDER BY p.id LIMIT 1) AS project
      FROM lfs_objects o WHERE o.id > ${last} AND (${projectId}::int IS NULL OR EXISTS (
        SELECT 1 FROM lfs_object_projects l WHERE l.lfs_object_id = o.id AND l.project_id = ${projectId}))
      ORDER BY o.id LIMIT ${BATCH_SIZE}`;
    for (const row of rows) {
      const fault = await faultOf(stores, row);
      if (fault === null) continue;
      const { projectId: folder, secret } = placeOf(row);
      const what = `The Git LFS object ${row.oid} ${fault}.`;
      yield { project: row.project, place: `lfs/${folder}/${secret}/${row.oid}`, what, advice: ADVICE };
    }
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) return;
  }
}

async function faultOf(stores: WithUploads, { oid, secret, size }: Row): Promise<string | null> {
  const found = await lfsStore(stores).open(placeOf({ oid, secret }));
  if (found === null) return 'is missing';
  try {
    if (found.size !== Number(size)) return `has ${found.size} bytes in place of ${size}`;
    const hash = createHash('sha256');
    for await (const chunk of found.content) hash.update(chunk as Buffer);
    return hash.digest('hex') === oid ? null : 'is damaged: its content has another hash';
  } finally {
    found.content.destroy();
  }
}
