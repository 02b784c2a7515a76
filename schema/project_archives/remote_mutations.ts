import { builder } from '#schema/builder.ts';
import { values } from '#schema/enums.ts';
import { projectField } from '#schema/inputs.ts';
import { mutation } from '#schema/mutation.ts';
import { RemoteImportPart } from '#schema/project_archives/remote_import.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { cancelImport } from '#src/domain/remote_imports/end.ts';
import type { ProviderName } from '#src/domain/remote_imports/providers.ts';
import { importFromServer } from '#src/domain/remote_imports/request.ts';
import { updateFromServer } from '#src/domain/remote_imports/update_request.ts';

const RemoteImportProvider = builder.enumType('RemoteImportProvider', {
  description: 'A kind of server that projects can be moved in from.',
  values: values<ProviderName>({
    GITHUB: { value: 'github', description: 'GitHub, or GitHub Enterprise Server.' },
    GITLAB: { value: 'gitlab', description: 'GitLab, or another Gantry.' },
    GITEA: { value: 'gitea', description: 'Gitea or Forgejo.' },
  }),
});

const OptionalStages = builder.inputType('RemoteImportOptionalStagesInput', {
  description: 'Parts that the REST API of v4 can leave out.',
  fields: (t) => ({
    attachmentsImport: t.boolean({ description: 'Whether files that texts show or link to come along.' }),
    collaboratorsImport: t.boolean({ description: 'Whether members who have an account here come along.' }),
    packagesImport: t.boolean({ description: 'Whether packages of the registries come along.' }),
    imagesImport: t.boolean({ description: 'Whether images of containers come along.' }),
  }),
});

const payload = {
  description: 'The project that is imported.',
  fields: (t: PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, { project: { id: number } }>) => ({
    project: t.field({
      type: Project,
      description: 'The project; its field `import` tells how far the import is.',
      resolve: ({ project }, _args, context, info) => findProject(context, project.id, selectionAt(info, 'Project')),
    }),
  }),
};

mutation('importProjectFromServer', {
  description:
    'Creates a project in the background from one at another server. In a personal namespace, or in a group for those who can create projects there. The setting `importSources` lists the kinds of servers.',
  input: {
    description: 'A project at another server, and where it is to be here.',
    argument: 'The project at the other server and the place here.',
    fields: (t) => ({
      provider: t.field({ type: RemoteImportProvider, required: true, description: 'The kind of the other server.' }),
      token: t.string({
        required: true,
        description:
          'An access token of the other server that can read the project. It is stored encrypted until the import has ended.',
      }),
      path: t.string({
        required: true,
        description: 'Path of the project at the other server, such as `owner/name`, or its ID there.',
      }),
      name: t.string({
        description:
          'Display name of the project, of which its path follows; both as at the other server when left out.',
      }),
      namespace: t.field({
        type: 'NamespaceRef',
        description:
          'The group or personal namespace of the project, in which the caller can create projects; the caller’s personal namespace when left out.',
      }),
      url: t.string({
        description:
          'Web address or host name of the other server; `https://github.com` for GitHub when left out, required for others.',
      }),
      parts: t.field({
        type: [RemoteImportPart],
        description: 'What is taken besides the repository; all when left out.',
      }),
      optionalStages: t.field({ type: OptionalStages, description: 'What is left out of these parts.' }),
    }),
  },
  resolve: async (input, context) => ({ project: await importFromServer(context, input) }),
  payload,
});

mutation('updateImportedProject', {
  description:
    'Brings a project up to date in the background from the server that it was imported from: what is new there comes, and what was changed there is changed here. What was changed or deleted here alone stays so. For masters of the project.',
  input: {
    description: 'An imported project, and a token of the server that it came from.',
    argument: 'The project, and a token of its server.',
    fields: (t) => ({
      project: projectField(t, 'that is brought up to date'),
      token: t.string({
        required: true,
        description:
          'An access token of the other server that can read the project. It is stored encrypted until the update has ended.',
      }),
      parts: t.field({
        type: [RemoteImportPart],
        description: 'What is taken besides the parts of the import before.',
      }),
    }),
  },
  resolve: async (input, context) => ({ project: await updateFromServer(context, input) }),
  payload: { ...payload, description: 'The project that is brought up to date.' },
});

mutation('cancelProjectImport', {
  description:
    'Cancels the import of a project from another server, which stays empty, or the update of one, which stays as it is. For masters of the project.',
  input: {
    description: 'Names the project whose import is canceled.',
    argument: 'Names the project that is being imported.',
    fields: (t) => ({ project: projectField(t, 'whose import is canceled') }),
  },
  resolve: async ({ project }, context) => ({ project: await cancelImport(context, project) }),
  payload,
});
