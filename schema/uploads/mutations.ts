import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
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

const UploadFileInput = builder.inputType('UploadFileInput', {
  description: 'A file to attach to a project.',
  fields: (t) => ({
    project: projectField(t, 'that gets the file'),
    file: t.field({
      type: 'Upload',
      required: true,
      description: 'The file itself, sent as described in the GraphQL multipart request specification.',
    }),
  }),
});

const UploadFilePayload = builder.objectRef<{ upload: UploadRow }>('UploadFilePayload').implement({
  description: 'The file that was uploaded.',
  fields: (t) => ({
    upload: t.expose('upload', { type: Uploaded, description: 'How to refer to the file.' }),
  }),
});

const DeleteUploadInput = builder.inputType('DeleteUploadInput', {
  description: 'Which attached file to delete: by its ID, or by secret and name.',
  fields: (t) => ({
    project: projectField(t, 'that has the file'),
    id: t.field({ ...idOf('Upload'), description: 'Global or numeric ID of the file.' }),
    secret: t.string({ description: 'The 32 hexadecimal digits in the address of the file.' }),
    fileName: t.string({ description: 'The name at the end of the address.' }),
  }),
});

const DeleteUploadPayload = builder.objectRef<{ id: number }>('DeleteUploadPayload').implement({
  description: 'The file that was deleted.',
  fields: (t) => ({
    deletedUploadId: t.id({
      description: 'Global ID of the file that was deleted.',
      resolve: ({ id }) => toGlobalId('Upload', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  deleteUpload: t.field({
    type: DeleteUploadPayload,
    description: 'Deletes a file that was attached to a project. For masters of the project.',
    args: {
      input: t.arg({ type: DeleteUploadInput, required: true, description: 'Names the project, and the file.' }),
    },
    resolve: (_root, { input: { project, ...name } }, context) => deleteUpload(context, project, name),
  }),
  uploadFile: t.field({
    type: UploadFilePayload,
    description:
      'Attaches a file to a project. For users who can comment on it. The application settings limit its size.',
    args: { input: t.arg({ type: UploadFileInput, required: true, description: 'Names the project, and the file.' }) },
    resolve: async (_root, { input: { project, file } }, context) => ({
      upload: await createUpload(context, project, file),
    }),
  }),
}));
