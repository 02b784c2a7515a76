import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { createUpload, type UploadRow } from '#src/domain/uploads/create.ts';

const Uploaded = builder.objectRef<UploadRow>('UploadedFile').implement({
  description: 'How to refer to an uploaded file.',
  fields: (t) => ({
    alt: t.exposeString('alt', { description: 'Alternative text for the file: its name.' }),
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

builder.mutationFields((t) => ({
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
