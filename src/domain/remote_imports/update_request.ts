import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { PARTS, type Part } from '#src/domain/remote_imports/base/source.ts';
import { providerOf } from '#src/domain/remote_imports/providers.ts';
import { addressOf, askSource } from '#src/domain/remote_imports/request.ts';
import { writeRefusal } from '#src/domain/repository/writable.ts';
import { BadRequest, ValidationFailed } from '#src/platform/errors.ts';
import { encrypt } from '#src/platform/secrets.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Goes on with bringing a project up to date from the server that it was imported from. */
    'projects.update_remote': { projectId: number; userId: number };
  }
}

export interface WantedUpdate {
  project: IdOrPath;
  /** Of the server that it was imported from: the one of the import was forgotten. */
  token: string;
  /** Taken besides the parts of the import before. */
  parts?: readonly Part[] | null | undefined;
}

/**
 * Brings a project up to date in the background from the server that it was imported from, after that has told that the token may still
 * read it. For masters of the project. Throws NotFound, Forbidden, BadRequest while one is under way, ValidationFailed.
 */
export async function updateFromServer(context: Context, wanted: WantedUpdate): Promise<ProjectRow> {
  const actor = requireActor(context);
  const { db } = context;
  const project = await findProject(context, wanted.project);
  authorize(actor, 'update_project', project);
  const refusal = writeRefusal(project);
  if (refusal !== null) throw new BadRequest(refusal).asWrongState();
  const [row, key] = await Promise.all([
    db.remoteImport.findUnique({ where: { projectId: project.id } }),
    db.remoteRecord.findFirst({ where: { projectId: project.id, kind: 'project' } }),
  ]);
  if (!row || !key)
    throw new ValidationFailed({ project: ['was not imported from another server that it can be updated from'] });
  const provider = providerOf(row.provider);
  // The project may have moved there, but its ID stays.
  const there = { url: row.url, path: key.sourceKey, token: wanted.token };
  const address = addressOf(there, provider, 'project');
  const remote = await askSource(context, provider, there, 'project', (client, at) => provider.project(client, at));
  if (String(remote.id) !== key.sourceKey)
    throw new ValidationFailed({ project: ['is another one at the source by now'] });
  const parts = PARTS.filter((part) => row.parts.includes(part) || wanted.parts?.includes(part));
  const source = encrypt(JSON.stringify(address), context.secret);
  await db.$transaction(async (tx) => {
    const begun = await tx.$executeRaw`
      INSERT INTO remote_updates (project_id, user_id, source, parts) VALUES (${project.id}, ${actor.id}, ${source}, ${parts}::text[])
      ON CONFLICT (project_id) DO UPDATE SET user_id = EXCLUDED.user_id, source = EXCLUDED.source, parts = EXCLUDED.parts,
        status = 'scheduled', error = NULL, phase = NULL, counts = '[]', left_out = '[]', attempts = 0, continues_at = NULL,
        created_at = now(), started_at = NULL, finished_at = NULL
      WHERE remote_updates.source IS NULL`;
    if (begun === 0) throw new BadRequest('The project is being updated already').asWrongState();
    await context.jobs.enqueue(tx, 'projects.update_remote', { projectId: project.id, userId: actor.id });
  });
  return project;
}
