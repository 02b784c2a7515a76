import type { Db } from '#src/platform/database/db.ts';

/** How many objects are looked up at a time. */
const BATCH_SIZE = 500;

/** An object of Git LFS of a project, and what its place in the store is found by. */
export interface ArchivedLfsObject {
  id: number;
  oid: string;
  secret: string;
}

/** The objects of Git LFS of a project. */
export async function* lfsObjectsOf(db: Pick<Db, '$queryRaw'>, projectId: number): AsyncGenerator<ArchivedLfsObject> {
  for (let last = 0; ; ) {
    const rows = await db.$queryRaw<ArchivedLfsObject[]>`
      SELECT o.id, o.oid, o.secret FROM lfs_objects o WHERE o.id > ${last} AND o.id IN (
        SELECT p.lfs_object_id FROM lfs_object_projects p WHERE p.project_id = ${projectId})
      ORDER BY o.id LIMIT ${BATCH_SIZE}`;
    yield* rows;
    if (rows.length < BATCH_SIZE) return;
    last = rows.at(-1)?.id ?? last;
  }
}
