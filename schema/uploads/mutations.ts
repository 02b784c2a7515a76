import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { deleted, mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import { createUpload, type UploadRow } from '#src/domain/uploads/create.ts';
import { deleteUpload } from '#src/domain/uploads/list.ts';

const Uploaded = builder.objectRef<UploadRow>('UploadedFile').implement({
  description: 'How to refer to an uploaded file.',
  fields: (t) => ({
    alt: t.exposeString('alt', { description: 'Alternative text for the file: its name.' }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the file, as the REST API uses it.' }),
    url: t.exposeString('url', { description: 'Path of the file, relative to the URL of the project.' }),
    fullPath: t.exposeString('fullPath', {
      description: 'Path of the file on the server, which stays when the project is moved.',
    }),
    markdown: t.exposeString('markdown', { description: 'Markdown for descriptions and comments.' }),
  }),
});

mutation('deleteUpload', {
  description: 'Deletes a file that was attached to a project. For masters of the project.',
  input: {
    description: 'Which attached file to delete: by its ID, or by secret and name.',
    argument: 'Names the project, and the file.',
    fields: (t) => ({
      project: projectField(t, 'that has the file'),
      id: t.field({ ...idOf('Upload'), description: 'Global or numeric ID of the file.' }),
      secret: t.string({ description: 'The 32 hexadecimal digits in the address of the file.' }),
      fileName: t.string({ description: 'The name at the end of the address.' }),
    }),
  },
  resolve: ({ project, ...name }, context) => deleteUpload(context, project, name),
  payload: { ...deleted('Upload', 'file'), from: fromProject },
});

mutation('uploadFile', {
  description:
    'Attaches a file to a project. For users who can comment on it. The application settings limit its size.',
  input: {
    description: 'A file to attach to a project.',
    argument: 'Names the project, and the file.',
    fields: (t) => ({
      project: projectField(t, 'that gets the file'),
      file: t.field({
        type: 'Upload',
        required: true,
        description: 'The file itself, sent as described in the GraphQL multipart request specification.',
      }),
    }),
  },
  resolve: async ({ project, file }, context) => ({ upload: await createUpload(context, project, file) }),
  payload: {
    description: 'The file that was uploaded.',
    fields: (t) => ({
      upload: t.expose('upload', { type: Uploaded, description: 'How to refer to the file.' }),
    }),
  },
});
