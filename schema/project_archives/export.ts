import { builder } from '#schema/builder.ts';
import { values } from '#schema/enums.ts';
import { projectField } from '#schema/inputs.ts';
import { mutation } from '#schema/mutation.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { ExportStatus } from '#src/domain/project_archives/kept.ts';
import type { ExportFormat } from '#src/domain/project_archives/layout.ts';
import { type ExportRow, findExports, requestExport } from '#src/domain/project_archives/request.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';

const ProjectExportStatus = builder.enumType('ProjectExportStatus', {
  description: 'How far the export of a project is.',
  values: values<ExportStatus>({
    NONE: { value: 'none', description: 'There is no archive, or it has expired.' },
    QUEUED: { value: 'queued', description: 'The export waits for its turn.' },
    STARTED: { value: 'started', description: 'The archive is being made.' },
    FINISHED: { value: 'finished', description: 'The archive can be downloaded.' },
    REGENERATION_IN_PROGRESS: {
      value: 'regeneration_in_progress',
      description: 'A new archive is being made; the one before can still be downloaded.',
    },
    FAILED: { value: 'failed', description: 'The archive could not be made, or could not be sent.' },
  }),
});

const ProjectExportLinks = builder.objectRef<{ url: string }>('ProjectExportLinks').implement({
  description: 'Where the archive of a project can be downloaded.',
  fields: (t) => ({
    apiUrl: t.exposeString('url', { description: 'Address of the archive in the REST API.' }),
    webUrl: t.exposeString('url', { description: 'Address of the archive for browsers whose user is signed in.' }),
  }),
});

const ProjectExport = builder.objectRef<ExportRow>('ProjectExport').implement({
  description: 'The export of a project that the caller asked for last.',
  fields: (t) => ({
    project: t.field({
      type: Project,
      description: 'The project whose archive it is.',
      resolve: ({ project }, _args, context, info) => findProject(context, project.id, selectionAt(info, 'Project')),
    }),
    status: t.expose('status', { type: ProjectExportStatus, description: 'How far the export is.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the export failed, or why its archive could not be sent; null if neither.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the archive was finished that can be downloaded; null without one. It is kept for a day.',
    }),
    links: t.field({
      type: ProjectExportLinks,
      nullable: true,
      description: 'Where the archive can be downloaded; null until the export is finished.',
      resolve: ({ project, status }, _args, { baseUrl }) =>
        status === 'finished' ? { url: `${baseUrl}/api/v4/projects/${project.id}/export/download` } : null,
    }),
  }),
});

const ProjectArchiveFormat = builder.enumType('ProjectArchiveFormat', {
  description: 'What the archive of a project is like.',
  values: values<ExportFormat>({
    GANTRY: { value: 'gantry', description: 'Everything that importProject takes, for another server of this kind.' },
    GITLAB: {
      value: 'gitlab',
      description: 'What GitLab reads: its relations alone, with the changes of merge requests.',
    },
  }),
});

const ExportUploadMethod = builder.enumType('ExportUploadMethod', {
  description: 'The method of the request that sends an archive.',
  values: values<'PUT' | 'POST'>({
    PUT: { value: 'PUT', description: 'The method of addresses of object storage.' },
    POST: { value: 'POST', description: 'The method of most other receivers.' },
  }),
});

const ExportUploadInput = builder.inputType('ExportUploadInput', {
  description: 'Where the archive of a project is sent.',
  fields: (t) => ({
    url: t.string({
      required: true,
      description: 'An HTTP(S) URL that webhooks may have as well. Redirects are not followed. It is not shown again.',
    }),
    httpMethod: t.field({
      type: ExportUploadMethod,
      required: true,
      defaultValue: 'PUT',
      description: 'The method of the request.',
    }),
  }),
});

builder.objectField(Project, 'export', (t) =>
  t.field({
    type: ProjectExport,
    nullable: true,
    description: 'The export of the project that the caller asked for last. For masters of the project.',
    resolve: (project, _args, context, info) =>
      loaderAt<ProjectRow, ExportRow>(context, info, { key: 'export' }, (projects) => findExports(context, projects), {
        cache: false,
      }).load(project),
  }),
);

mutation('exportProject', {
  description:
    'Makes an archive of a project in the background, which importProject reads. For masters of the project. Changes nothing while one is being made for the caller.',
  input: {
    description: 'Names the project whose archive is made.',
    argument: 'Names the project to export.',
    fields: (t) => ({
      project: projectField(t, 'to export'),
      format: t.field({
        type: ProjectArchiveFormat,
        required: true,
        defaultValue: 'gantry',
        description: 'What the archive is like.',
      }),
      description: t.string({ description: 'Description of the project in the archive; its own if this is left out.' }),
      upload: t.field({
        type: ExportUploadInput,
        description: 'Where the archive is sent as soon as it is there; it can be downloaded as well.',
      }),
    }),
  },
  resolve: async ({ project, format, description, upload }, context) => ({
    project: await requestExport(context, project, {
      format,
      description,
      upload: upload && { url: upload.url, method: upload.httpMethod },
    }),
  }),
  payload: {
    description: 'The project of which an archive is made.',
    fields: (t) => ({
      project: t.field({
        type: Project,
        description: 'The project; its field `export` tells how far the export is.',
        resolve: ({ project }, _args, context, info) => findProject(context, project.id, selectionAt(info, 'Project')),
      }),
    }),
  },
});
