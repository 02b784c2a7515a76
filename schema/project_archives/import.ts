import { builder } from '#schema/builder.ts';
import { Visibility, values } from '#schema/enums.ts';
import { mutation } from '#schema/mutation.ts';
import { RemoteImport } from '#schema/project_archives/remote_import.ts';
import { switches } from '#schema/projects/inputs.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { findImports, type ImportRow, importType } from '#src/domain/project_archives/find_import.ts';
import { importProject } from '#src/domain/project_archives/import_request.ts';
import type { FailedRelation } from '#src/domain/project_archives/tree.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';

const ProjectImportStatus = builder.enumType('ProjectImportStatus', {
  description: 'How far the import of a project is.',
  values: values<ImportRow['status']>({
    NONE: { value: 'none', description: 'The project was not imported.' },
    SCHEDULED: { value: 'scheduled', description: 'The import waits for its turn.' },
    STARTED: { value: 'started', description: 'The import is running.' },
    FINISHED: { value: 'finished', description: 'The project is complete.' },
    FAILED: { value: 'failed', description: 'The import failed, and the project is empty.' },
    CANCELED: { value: 'canceled', description: 'The import was canceled, and the project is empty.' },
  }),
});

const FailedImportRelation = builder.objectRef<FailedRelation & { index: number }>('FailedImportRelation').implement({
  description: 'Something that an import left out.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Its number among all that was left out, from 1.' }),
    relation: t.exposeString('relation', { description: 'The kind of the record, such as `uploads`.' }),
    line: t.exposeInt('line', { description: 'Line of the record in the file of its kind.' }),
    message: t.exposeString('message', { description: 'Why the record was left out.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the record was left out.',
      resolve: ({ at }) => new Date(at),
    }),
  }),
});

const ProjectImport = builder.objectRef<ImportRow>('ProjectImport').implement({
  description: 'The import of a project from an archive or another server, or of its repository from elsewhere.',
  fields: (t) => ({
    project: t.field({
      type: Project,
      description: 'The project that is filled from an archive or repository.',
      resolve: ({ project }, _args, context, info) => findProject(context, project.id, selectionAt(info, 'Project')),
    }),
    status: t.expose('status', { type: ProjectImportStatus, description: 'How far the import is.' }),
    type: t.exposeString('type', {
      nullable: true,
      description:
        'Where it comes from: `gitlab_project` is an archive, `git` a repository, `github`, `gitea` and `gitlab` servers of these kinds. Null without an import.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the import failed, for masters of the project; null if it did not.',
    }),
    correlationId: t.exposeString('correlationId', {
      nullable: true,
      description: 'Name of the import from an archive; null without one.',
    }),
    failedRelations: t.field({
      type: [FailedImportRelation],
      description: 'What was left out of the import, at most a hundred records. For masters of the project.',
      resolve: ({ failedRelations }) => failedRelations.map((failed, at) => ({ ...failed, index: at + 1 })),
    }),
    source: t.string({
      nullable: true,
      description: 'Path of the project at the other server; null for imports from elsewhere.',
      resolve: ({ remote }) => remote?.path ?? null,
    }),
    sourceUrl: t.field({
      type: 'URL',
      nullable: true,
      description: 'Web address of the project at the other server; null for imports from elsewhere.',
      resolve: ({ remote }) => remote && `${remote.url}/${remote.path}`,
    }),
    remote: t.field({
      type: RemoteImport,
      nullable: true,
      description: 'How far an import from another server is; null for other imports.',
      resolve: ({ remote }) => remote,
    }),
  }),
});

builder.prismaObjectFields(Project, (t) => ({
  importType: t.string({
    nullable: true,
    description:
      'Where the project was imported from: `gitlab_project` is an archive, `git` a repository, `github`, `gitea` and `gitlab` servers of these kinds. For masters; null for others.',
    select: { archiveImport: { select: { projectId: true } }, remoteImport: { select: { provider: true } } },
    resolve: (project, _args, { actor }) => (can(actor, 'update_project', project) ? importType(project) : null),
  }),
}));

const ImportedProjectSettings = builder.inputType('ImportedProjectSettings', {
  description: 'Settings of an imported project in place of those of the archive.',
  fields: (t) => ({
    description: t.string({ description: 'Description of the project; at most 2000 characters.' }),
    visibility: t.field({
      type: Visibility,
      description: 'Who can see the project, as far as the namespace allows it.',
    }),
    ...switches(({ description }) => t.boolean({ description })),
  }),
});

builder.objectField(Project, 'import', (t) =>
  t.field({
    type: ProjectImport,
    nullable: true,
    description: 'How far the import of the project is, for whoever sees the project.',
    resolve: (project, _args, context, info) =>
      loaderAt(context, info, { key: 'import' }, (projects: readonly ProjectRow[]) => findImports(context, projects), {
        cache: false,
      }).load(project),
  }),
);

mutation('importProject', {
  description:
    'Creates a project in the background from an archive that exportProject made, or GitLab. In a personal namespace, or in a group for those who can create projects there.',
  input: {
    description: 'An archive of a project, and where the project is to be.',
    argument: 'The archive and the place of the project.',
    fields: (t) => ({
      file: t.field({
        type: 'Upload',
        required: true,
        description:
          'The archive that exportProject or GitLab made, sent as described in the GraphQL multipart request specification.',
      }),
      path: t.string({ required: true, description: 'Last part of the project’s URL.' }),
      name: t.string({ description: 'Display name of the project; its path if this is left out.' }),
      namespace: t.field({
        type: 'NamespaceRef',
        description:
          'The group or personal namespace of the project, in which the caller can create projects; the caller’s personal namespace when left out.',
      }),
      overwrite: t.boolean({
        description:
          'Whether a project of the caller that has the path is deleted in favour of this one once this one is complete.',
      }),
      settings: t.field({ type: ImportedProjectSettings, description: 'What differs from the archive.' }),
    }),
  },
  resolve: async (input, context) => ({ project: await importProject(context, input) }),
  payload: {
    description: 'The project that the archive becomes.',
    fields: (t) => ({
      project: t.field({
        type: Project,
        description: 'The project; its field `import` tells how far the import is.',
        resolve: ({ project }, _args, context, info) => findProject(context, project.id, selectionAt(info, 'Project')),
      }),
    }),
  },
});
