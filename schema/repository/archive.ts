import { builder } from '#schema/builder.ts';
import { surelyProjectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import type { ArchiveRow } from '#src/repository/archive.ts';

export const ArchiveFormat = builder.enumType('ArchiveFormat', {
  description: 'How files are packed into one.',
  values: {
    TAR_GZ: { value: 'tar.gz', description: 'Compressed by gzip.' },
    TAR_BZ2: { value: 'tar.bz2', description: 'Compressed by bzip2, where the server has it.' },
    TAR: { value: 'tar', description: 'Not compressed.' },
    ZIP: { value: 'zip', description: 'A zip file.' },
  } as const,
});

export const Archive = builder.objectRef<ArchiveRow>('Archive').implement({
  description: 'All files of a commit, packed into one.',
  fields: (t) => ({
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; `project` leads to it.' }),
    project: t.field({
      type: Project,
      description: 'The project that has the repository.',
      resolve: ({ projectId }, _args, context, info) => surelyProjectOf(context, info, projectId),
    }),
    sha: t.exposeString('commitOid', { description: 'Hash of the commit.' }),
    format: t.expose('format', { type: ArchiveFormat, description: 'How it is packed.' }),
    extension: t.exposeString('format', { description: 'How the name of its file ends, without the dot before it.' }),
    fileName: t.exposeString('fileName', { description: 'What to call it when it is kept.' }),
    prefix: t.exposeString('prefix', { description: 'The directory in it that holds everything.' }),
    url: t.string({
      description: 'Where it can be fetched, with the credentials of the caller.',
      resolve: ({ projectId, format, commitOid }, _args, { baseUrl }) =>
        `${baseUrl}/api/v4/projects/${projectId}/repository/archive.${format}?sha=${commitOid}`,
    }),
  }),
});
