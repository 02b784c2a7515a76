import { builder } from '#schema/builder.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import type { ArchiveRow } from '#src/domain/repository/archive.ts';

export const ArchiveFormat = builder.enumType('ArchiveFormat', {
  description: 'The format of an archive of files.',
  values: {
    TAR_GZ: { value: 'tar.gz', description: 'A tar archive compressed with gzip.' },
    TAR_BZ2: { value: 'tar.bz2', description: 'A tar archive compressed with bzip2, if the server has bzip2.' },
    TAR: { value: 'tar', description: 'An uncompressed tar archive.' },
    ZIP: { value: 'zip', description: 'A zip archive, which most systems can open.' },
  } as const,
});

export const Archive = builder.objectRef<ArchiveRow>('Archive').implement({
  description: 'An archive of files of a commit, made when it is downloaded.',
  fields: (t) => ({
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field({
      type: Project,
      description: 'The project that has the repository.',
      resolve: ({ projectId }, _args, context, info) => requireProject(context, info, projectId),
    }),
    sha: t.exposeString('commitOid', { description: 'Hash of the commit, in full.' }),
    format: t.expose('format', { type: ArchiveFormat, description: 'Archive format, such as tar or zip.' }),
    extension: t.exposeString('format', {
      description: 'File extension of the archive, without the first dot: `tar.gz`.',
    }),
    fileName: t.exposeString('fileName', { description: 'Suggested file name for the archive.' }),
    prefix: t.exposeString('prefix', { description: 'Name of the directory in the archive that holds all files.' }),
    path: t.exposeString('path', {
      description: 'Path of the only directory or file in the archive; empty if it has everything.',
    }),
    excludePaths: t.exposeStringList('excludePaths', {
      description: 'Paths of the files and directories that are left out.',
    }),
    lfsObjects: t.exposeBoolean('lfsObjects', {
      description: 'Whether files that are kept with Git LFS have their content in it, rather than point to it.',
    }),
    url: t.string({
      description: 'URL to download the archive from, with the caller’s credentials.',
      resolve: ({ projectId, format, commitOid, path, excludePaths, lfsObjects }, _args, { baseUrl }) => {
        const query = new URLSearchParams({
          sha: commitOid,
          ...(path === '' ? {} : { path }),
          ...(excludePaths.length === 0 ? {} : { exclude_paths: excludePaths.join(',') }),
          ...(lfsObjects ? {} : { include_lfs_blobs: 'false' }),
        });
        return `${baseUrl}/api/v4/projects/${projectId}/repository/archive.${format}?${query}`;
      },
    }),
  }),
});
