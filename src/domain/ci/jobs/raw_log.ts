import { Readable } from 'node:stream';
import type { Context } from '#src/access/permissions/actor.ts';
import { requireLogReadable } from '#src/domain/ci/job_logs/debug.ts';
import { openTrace } from '#src/domain/ci/job_logs/read.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { select } from '#src/platform/records/selection.ts';

/** A job whose log an operation found. */
export interface RawTrace {
  projectId: number;
  databaseId: number;
}

/** A job's output so far, as a stream without later output. Throws NotFound, Forbidden, Unauthenticated. */
export async function readRawTrace(context: Context, { projectId, databaseId }: RawTrace): Promise<RawContent> {
  const project = await findProject(context, projectId);
  const { id } = await findJob(context, project, databaseId, select('Job', { id: true }));
  await requireLogReadable(context, project, id);
  const { size, part } = await openTrace(context, id);
  return {
    stream: lazily(() => part(0, size)),
    part: async ({ start, end }) => part(start, end + 1),
    size,
    type: 'text/plain; charset=utf-8',
    fileName: `${id}.log`,
    etag: null,
  };
}

/** A stream that is opened when it is read. */
function lazily(open: () => Readable): Readable {
  async function* content(): AsyncGenerator<Buffer> {
    yield* open();
  }
  return Readable.from(content(), { objectMode: false });
}
