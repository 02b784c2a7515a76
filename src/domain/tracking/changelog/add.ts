import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { pathRefusal } from '#src/domain/repository/commits/actions.ts';
import { commitFiles } from '#src/domain/repository/commits/create.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { defaultBranch } from '#src/domain/repository/revision.ts';
import { writableBranch } from '#src/domain/repository/write.ts';
import { type ChangelogWish, changelogFailed, generateChangelog } from '#src/domain/tracking/changelog/generate.ts';
import { BadRequest, Forbidden } from '#src/platform/errors.ts';

export interface NewChangelog extends ChangelogWish {
  /** The branch that gets the commit; the default one when absent. */
  branch?: string | null | undefined;
  /** The file that the section is put into, at its top. */
  file?: string | null | undefined;
  message?: string | null | undefined;
}

/** Bytes of the largest file to which a section is added. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Commits a new section of a changelog. Throws as generateChangelog, Forbidden, BadRequest. */
export async function addChangelog(
  context: Context,
  ref: IdOrPath,
  { branch, file, message, ...wish }: NewChangelog,
  baseUrl: string,
): Promise<CommitRow> {
  const project = await findProject(context, ref);
  const notes = await generateChangelog(context, project, wish, baseUrl);
  const reader = await context.repositories.open(project);
  const wanted = branch || (reader && (await defaultBranch(project, reader)));
  if (!reader || !wanted) throw changelogFailed('The repository is empty');
  const target = await writableBranch(context, ref, wanted).catch((error) => {
    if (error instanceof Forbidden || error instanceof BadRequest) {
      throw new Forbidden('You are not allowed to commit a changelog on this branch');
    }
    throw error;
  });
  const path = file || 'CHANGELOG.md';
  const refusal = pathRefusal(path);
  if (refusal !== null) throw changelogFailed(refusal);
  const commitMessage = message?.trim() ? message : `Add changelog for version ${wish.version.replace(/^v/, '')}`;
  const section = Buffer.from(notes);
  return commitFiles(
    context,
    target,
    {
      paths: [path],
      files: [{ path, size: null }],
      bytes: section.length + MAX_FILE_BYTES,
      held: section.length + MAX_FILE_BYTES,
      alone: true,
      prepare: async (series) => {
        const entry = series.tip === null ? null : await reader.entry(series.tip, path);
        if (entry === null) return [{ action: 'create', path, content: section }];
        const present = entry.type === 'blob' ? await reader.blob(entry.oid, MAX_FILE_BYTES) : null;
        if (present === null) throw changelogFailed(`${path} is not a file`);
        const content = Buffer.concat([section, Buffer.from('\n'), present]);
        return [{ action: 'update', path, content, was: entry.oid }];
      },
    },
    { message: commitMessage },
  );
}
